//! Words from nodes of the syntax tree, and the commands inside of them.

use tree_sitter::Node;

use super::state::{State, Value};
use super::walk::{Reader, children};
use super::word::{Draft, Word};

impl Reader {
    /// Expands a node into words, as the argument of a command.
    pub(super) fn words(&mut self, node: Node<'_>, source: &str, state: &mut State) -> Vec<Word> {
        let mut draft = Draft::default();
        self.piece(node, source, state, &mut draft);
        draft.finish(state.home())
    }

    /// Expands a node into the value of an assignment.
    pub(super) fn value(&mut self, node: Node<'_>, source: &str, state: &mut State) -> Word {
        let mut draft = Draft::default();
        self.piece(node, source, state, &mut draft);
        draft.value(state.home())
    }

    fn piece(&mut self, node: Node<'_>, source: &str, state: &mut State, draft: &mut Draft) {
        let text = &source[node.byte_range()];
        match node.kind() {
            "raw_string" => draft.quoted(text.trim_start_matches('\'').trim_end_matches('\'')),
            "ansi_c_string" => match unescaped(text) {
                Some(plain) => draft.quoted(&plain),
                None => draft.unknown(Word::Unknown),
            },
            "string" => self.string(node, source, state, draft),
            "translated_string" | "command_name" | "concatenation" => {
                self.parts(node, source, state, draft);
            }
            "simple_expansion" | "expansion" => {
                self.commands_below(node, source, state);
                variable(text, state, draft, false);
            }
            "command_substitution" => {
                self.statement_in_subshell(node, source, state);
                draft.unknown(Word::Several);
            }
            "process_substitution" => {
                self.statement_in_subshell(node, source, state);
                draft.unknown(Word::Unknown);
            }
            "word" | "number" | "variable_name" | "test_operator" => {
                if node.named_child_count() > 0 {
                    self.commands_below(node, source, state);
                    draft.unknown(Word::Several);
                } else {
                    draft.bare(text);
                }
            }
            "brace_expression" | "extglob_pattern" | "array" => draft.unknown(Word::Several),
            _ if node.is_named() => {
                self.commands_below(node, source, state);
                draft.unknown(Word::Several);
            }
            // A sign by itself, as the dollar at the end of a word.
            _ => draft.bare(text),
        }
    }

    /// Adds the parts of a node, and the text between them.
    fn parts(&mut self, node: Node<'_>, source: &str, state: &mut State, draft: &mut Draft) {
        let mut at = node.start_byte();
        for child in children(node) {
            draft.bare(&source[at..child.start_byte()]);
            if node.kind() != "translated_string" || child.is_named() {
                self.piece(child, source, state, draft);
            }
            at = child.end_byte();
        }
        draft.bare(&source[at..node.end_byte()]);
    }

    /// Adds a text in double quotes. All of it but expansions stands for itself.
    fn string(&mut self, node: Node<'_>, source: &str, state: &mut State, draft: &mut Draft) {
        let end = node.end_byte().saturating_sub(1);
        let mut at = node.start_byte() + 1;
        let is_expansion = |child: &Node<'_>| child.is_named() && child.kind() != "string_content";
        for child in children(node).into_iter().filter(is_expansion) {
            draft.in_double_quotes(source.get(at..child.start_byte()).unwrap_or_default());
            at = child.end_byte();
            match child.kind() {
                "simple_expansion" | "expansion" => {
                    self.commands_below(child, source, state);
                    variable(&source[child.byte_range()], state, draft, true);
                }
                "command_substitution" => {
                    self.statement_in_subshell(child, source, state);
                    draft.unknown(Word::Unknown);
                }
                _ => {
                    self.commands_below(child, source, state);
                    draft.unknown(Word::Unknown);
                }
            }
        }
        draft.in_double_quotes(source.get(at..end).unwrap_or_default());
    }

    /// Reads the commands in substitutions anywhere below a node, each in a shell of its own.
    pub(super) fn commands_below(&mut self, node: Node<'_>, source: &str, state: &mut State) {
        if !self.enter() {
            return;
        }
        for child in children(node) {
            match child.kind() {
                "command_substitution" | "process_substitution" => {
                    self.statement_in_subshell(child, source, state);
                }
                _ => self.commands_below(child, source, state),
            }
        }
        self.leave();
    }
}

/// Adds the value of `$x` or `${x}`, as far as it is known.
fn variable(text: &str, state: &mut State, draft: &mut Draft, in_quotes: bool) {
    let name = text.trim_start_matches('$');
    let name = name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name);
    let is_name =
        |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let unknown = if in_quotes && !name.starts_with('@') { Word::Unknown } else { Word::Several };
    if let Some((assigned, _)) = name.split_once('=').filter(|(name, _)| !name.contains('#')) {
        // `${x:=y}` gives the variable a value.
        state.set(assigned.trim_end_matches(':'), None);
    }
    if !is_name(name) && name != "@" && name != "*" {
        return draft.unknown(unknown);
    }
    match state.get(name) {
        Some(Value::Any) => draft.unknown(Word::Any),
        Some(Value::Is(value)) if in_quotes => draft.quoted(&value),
        Some(Value::Unset) if in_quotes => draft.quoted(""),
        Some(Value::Unset) => {}
        Some(Value::Is(value)) => {
            let is_split = |letter: char| letter.is_whitespace() || "*?[\\".contains(letter);
            if value.contains(is_split) || value.is_empty() {
                draft.unknown(Word::Several);
            } else {
                // Its braces and its tilde stand for themselves.
                draft.quoted(&value);
            }
        }
        None => draft.unknown(unknown),
    }
}

/// Reads `$'...'`; none where it has an escape that is not known here.
fn unescaped(text: &str) -> Option<String> {
    let inner = text.strip_prefix("$'")?.strip_suffix('\'')?;
    let mut plain = String::new();
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        plain.push(match characters.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            same @ ('\\' | '\'' | '"' | '?') => same,
            _ => return None,
        });
    }
    Some(plain)
}
