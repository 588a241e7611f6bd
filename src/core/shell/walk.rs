//! The way through the syntax tree, in the order in which a shell runs it.

use tree_sitter::{Node, Parser};

use super::state::{State, Value};
use super::word::Word;
use super::{COMMANDS_MAX, DEPTH_MAX, NESTING_MAX, Reading, Simple, TEXT_BYTES_MAX};

/// The largest number of times that the body of a loop is read.
const ROUNDS_MAX: usize = 20;

/// Collects the simple commands.
#[derive(Debug, Default)]
pub(super) struct Reader {
    commands: Vec<Simple>,
    is_cut: bool,
    nesting: usize,
    /// The number of texts around the present one.
    pub(super) depth: usize,
}

/// Lists the children of a node.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}

fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}

impl Reader {
    pub(super) fn finish(self) -> Reading {
        Reading { commands: self.commands, is_whole: !self.is_cut }
    }

    /// Reads a text that the shell of this state runs.
    pub(super) fn text(&mut self, text: &str, state: &mut State, depth: usize) {
        if depth > DEPTH_MAX || text.len() > TEXT_BYTES_MAX {
            self.is_cut = true;
            return;
        }
        let mut parser = Parser::new();
        let is_known = parser.set_language(&tree_sitter_bash::LANGUAGE.into()).is_ok();
        let Some(tree) = parser.parse(text, None).filter(|_| is_known) else {
            self.is_cut = true;
            return;
        };
        self.is_cut |= tree.root_node().has_error();
        let outer = std::mem::replace(&mut self.depth, depth);
        self.statement(tree.root_node(), text, state);
        self.depth = outer;
    }

    /// Goes one level down. Returns false, and notes that something is left out, if it is too deep.
    pub(super) fn enter(&mut self) -> bool {
        if self.nesting >= NESTING_MAX {
            self.is_cut = true;
            return false;
        }
        self.nesting += 1;
        true
    }

    pub(super) fn leave(&mut self) {
        self.nesting -= 1;
    }

    pub(super) fn emit(&mut self, words: Vec<Word>, writes: Vec<Word>, state: &State) {
        if self.commands.len() >= COMMANDS_MAX {
            self.is_cut = true;
            return;
        }
        let (directory, variables) = (state.directory.clone(), state.git_variables());
        self.commands.push(Simple { words, directory, variables, writes });
    }

    /// Reads a statement, which may change the state.
    pub(super) fn statement(&mut self, node: Node<'_>, source: &str, state: &mut State) {
        if !self.enter() {
            return;
        }
        match node.kind() {
            "list" => self.list(node, source, state),
            "pipeline" => {
                for child in named_children(node) {
                    self.statement(child, source, &mut state.clone());
                }
            }
            "subshell" => self.sequence(node, source, &mut state.clone()),
            "command" => self.command(node, source, state),
            "redirected_statement" => self.redirected(node, source, state),
            "for_statement" => self.for_loop(node, source, state),
            "while_statement" | "c_style_for_statement" => self.open_loop(node, source, state),
            "if_statement" | "case_statement" => self.branches(node, source, state),
            "function_definition" => {
                let part = |name: &str| node.child_by_field_name(name);
                if let (Some(name), Some(body)) = (part("name"), part("body")) {
                    state.define(&source[name.byte_range()], &source[body.byte_range()]);
                }
            }
            "variable_assignment" => self.assignment(node, source, state),
            "declaration_command" | "unset_command" => self.declaration(node, source, state),
            "test_command" => self.commands_below(node, source, state),
            "comment" | "word" | "heredoc_body" | "heredoc_end" => {}
            _ => self.sequence(node, source, state),
        }
        self.leave();
    }

    /// Reads the statements in a node, one after the other. One with `&` behind it has its own
    /// shell.
    fn sequence(&mut self, node: Node<'_>, source: &str, state: &mut State) {
        let all = children(node);
        for (at, child) in all.iter().enumerate().filter(|(_, child)| child.is_named()) {
            if all.get(at + 1).is_some_and(|next| next.kind() == "&") {
                self.statement(*child, source, &mut state.clone());
            } else {
                self.statement(*child, source, state);
            }
        }
    }

    pub(super) fn statement_in_subshell(
        &mut self,
        node: Node<'_>,
        source: &str,
        state: &mut State,
    ) {
        if self.enter() {
            self.sequence(node, source, &mut state.clone());
            self.leave();
        }
    }

    /// Reads `a && b` and `a || b`. The command behind `||` runs where `a` failed to go elsewhere,
    /// and the rest runs where `a` went.
    fn list(&mut self, node: Node<'_>, source: &str, state: &mut State) {
        let before = state.clone();
        let is_or = children(node).iter().any(|child| child.kind() == "||");
        for (at, child) in named_children(node).into_iter().enumerate() {
            if at == 0 || !is_or {
                self.statement(child, source, state);
                continue;
            }
            let mut failed = before.clone();
            self.statement(child, source, &mut failed);
            if failed != before {
                state.merge(&failed);
            }
        }
    }

    fn redirected(&mut self, node: Node<'_>, source: &str, state: &mut State) {
        let redirects: Vec<Node<'_>> =
            node.children_by_field_name("redirect", &mut node.walk()).collect();
        let mut input = None;
        for redirect in &redirects {
            self.redirect(*redirect, source, state);
            input = input.or_else(|| here_document(*redirect, source));
        }
        if let Some(body) = node.child_by_field_name("body") {
            let reads_input = body.kind() == "command" && input.is_some();
            if reads_input {
                self.command_with_input(body, source, state, input.as_deref());
            } else {
                self.statement(body, source, state);
            }
        }
        // The grammar puts what stands behind `<<END` on the same line into the redirection.
        for redirect in redirects.iter().filter(|node| node.kind() == "heredoc_redirect") {
            let is_rest = |child: &Node<'_>| {
                let kind = child.kind();
                !kind.starts_with("heredoc_") && !kind.ends_with("_redirect") && kind != "word"
            };
            for child in named_children(*redirect).into_iter().filter(is_rest) {
                self.statement(child, source, state);
            }
        }
    }

    /// Notes the file that a redirection writes to.
    pub(super) fn redirect(&mut self, node: Node<'_>, source: &str, state: &mut State) {
        if node.kind() != "file_redirect" {
            self.commands_below_here_document(node, source, state);
            for child in node.children_by_field_name("redirect", &mut node.walk()) {
                self.redirect(child, source, state);
            }
            return;
        }
        let operator = children(node).into_iter().find(|child| !child.is_named());
        let operator = operator.map_or("", |operator| &source[operator.byte_range()]);
        let Some(to) = node.child_by_field_name("destination") else { return };
        let words = self.words(to, source, state);
        let is_descriptor = |word: &Word| {
            let text = word.literal().unwrap_or_default();
            !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
        };
        let is_copy = operator.ends_with('&') && words.first().is_none_or(is_descriptor);
        if operator.contains('>') && !is_copy {
            self.emit(Vec::new(), words, state);
        }
    }

    fn commands_below_here_document(&mut self, node: Node<'_>, source: &str, state: &mut State) {
        let is_text = |child: &Node<'_>| child.kind() == "heredoc_body";
        for child in children(node).into_iter().filter(is_text) {
            self.commands_below(child, source, state);
        }
        if node.kind() == "herestring_redirect" {
            self.commands_below(node, source, state);
        }
    }

    /// Reads `for x in ...`: once for each word that is known, once with any path for the others.
    fn for_loop(&mut self, node: Node<'_>, source: &str, state: &mut State) {
        let name = node.child_by_field_name("variable").map(|name| &source[name.byte_range()]);
        let nodes: Vec<Node<'_>> = node.children_by_field_name("value", &mut node.walk()).collect();
        let mut values = Vec::new();
        for value in nodes {
            values.extend(self.words(value, source, state));
        }
        let known = |word: &Word| word.literal().map(|text| Value::Is(text.to_owned()));
        let mut rounds: Vec<Value> = values.iter().map_while(known).collect();
        if rounds.len() != values.len() || rounds.is_empty() || rounds.len() > ROUNDS_MAX {
            rounds = vec![Value::Any];
        }
        let Some(body) = node.child_by_field_name("body") else { return };
        let is_known = rounds != [Value::Any];
        for value in rounds {
            if let Some(name) = name {
                state.set(name, Some(value));
            }
            if is_known {
                self.statement(body, source, state);
            } else {
                self.rounds(&[body], source, state);
            }
        }
    }

    /// Reads a loop whose end is not known.
    fn open_loop(&mut self, node: Node<'_>, source: &str, state: &mut State) {
        let parts: Vec<Node<'_>> = named_children(node);
        let is_read = |part: &Node<'_>| source[part.byte_range()].contains("read ");
        for condition in
            parts.iter().take(parts.len().saturating_sub(1)).filter(|part| is_read(part))
        {
            for name in source[condition.byte_range()].split_whitespace() {
                if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                    state.set(name, Some(Value::Any));
                }
            }
        }
        self.rounds(&parts, source, state);
    }

    /// Reads the body of a loop that may run any number of times. If a round ends elsewhere than it
    /// began, the next one begins there: only what no round changes is known.
    fn rounds(&mut self, parts: &[Node<'_>], source: &str, state: &mut State) {
        let (before, count) = (state.clone(), self.commands.len());
        for part in parts {
            self.statement(*part, source, state);
        }
        if *state != before {
            self.commands.truncate(count);
            state.merge(&before);
            let mut again = state.clone();
            for part in parts {
                self.statement(*part, source, &mut again);
            }
            state.merge(&again);
        }
    }

    /// Reads branches: what stands before them runs, and each may have been taken or not.
    fn branches(&mut self, node: Node<'_>, source: &str, state: &mut State) {
        let mut ends = Vec::new();
        let mut is_condition = true;
        let mut taken = state.clone();
        for child in children(node) {
            let kind = child.kind();
            if kind == "then" {
                is_condition = false;
                taken = state.clone();
            } else if matches!(kind, "elif_clause" | "else_clause" | "case_item") {
                let mut branch = state.clone();
                self.statement(child, source, &mut branch);
                ends.push(branch);
            } else if child.is_named() && node.kind() == "case_statement" {
                self.commands_below(child, source, state);
            } else if child.is_named() && is_condition {
                self.statement(child, source, state);
            } else if child.is_named() {
                self.statement(child, source, &mut taken);
            }
        }
        for end in ends.iter().chain([&taken]) {
            state.merge(end);
        }
    }

    fn assignment(&mut self, node: Node<'_>, source: &str, state: &mut State) {
        if let Some((name, value)) = self.assigned(node, source, state) {
            state.set(&name, value);
        }
    }

    /// Reads an assignment: the name, and the value if it is known.
    pub(super) fn assigned(
        &mut self,
        node: Node<'_>,
        source: &str,
        state: &mut State,
    ) -> Option<(String, Option<Value>)> {
        let name = source[node.child_by_field_name("name")?.byte_range()].to_owned();
        let is_sum = source[node.byte_range()][name.len()..].starts_with("+=");
        let value = match node.child_by_field_name("value") {
            Some(value) => self.value(value, source, state),
            None => Word::Literal(String::new()),
        };
        Some((name, known(value).filter(|_| !is_sum)))
    }

    /// Reads `export`, `declare`, `local` and `unset`.
    fn declaration(&mut self, node: Node<'_>, source: &str, state: &mut State) {
        let verb = children(node).first().map_or("", |first| &source[first.byte_range()]);
        let is_unset = node.kind() == "unset_command";
        let mut exports = verb == "export";
        for child in named_children(node) {
            let text = &source[child.byte_range()];
            match child.kind() {
                "variable_assignment" => {
                    if let Some((name, value)) = self.assigned(child, source, state) {
                        state.set(&name, value);
                        if exports {
                            state.export(&name);
                        }
                    }
                }
                "variable_name" if is_unset => state.unset(text),
                "variable_name" if exports => state.export(text),
                "word" => exports |= text.starts_with('-') && text.contains('x'),
                _ => self.commands_below(child, source, state),
            }
        }
    }
}

/// Returns the text of a here-document, if nothing in it is expanded.
fn here_document(node: Node<'_>, source: &str) -> Option<String> {
    if node.kind() != "heredoc_redirect" {
        return None;
    }
    let body = named_children(node).into_iter().find(|child| child.kind() == "heredoc_body")?;
    let is_plain = named_children(body).iter().all(|child| child.kind() == "heredoc_content");
    is_plain.then(|| source[body.byte_range()].to_owned())
}

/// Turns a word into the value of a variable; none if it is not known.
pub(super) fn known(word: Word) -> Option<Value> {
    match word {
        Word::Literal(text) => Some(Value::Is(text)),
        Word::Any => Some(Value::Any),
        _ => None,
    }
}
