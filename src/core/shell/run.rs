//! The effect of a simple command on the shell's memory, and the commands that it runs in turn.

use tree_sitter::Node;

use super::state::{FILLED_IN, State, Value};
use super::walk::{Reader, children, known};
use super::word::Word;
use super::{base_name, wrapper};

/// Shells that read a command from `-c`.
const SHELLS: [&str; 5] = ["bash", "dash", "ksh", "sh", "zsh"];
/// Variables that a file which is read by `source` is not thought to set.
const KEPT_BY_SOURCE: [&str; 4] = ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE", "HOME"];

/// An assignment before a command.
type Assignment = (String, Option<Value>);

impl Reader {
    pub(super) fn command(&mut self, node: Node<'_>, source: &str, state: &mut State) {
        self.command_with_input(node, source, state, None);
    }

    /// Reads a command whose standard input may be known.
    pub(super) fn command_with_input(
        &mut self,
        node: Node<'_>,
        source: &str,
        state: &mut State,
        input: Option<&str>,
    ) {
        let mut assignments: Vec<Assignment> = Vec::new();
        let mut words = Vec::new();
        for child in children(node) {
            match child.kind() {
                "variable_assignment" => assignments.extend(self.assigned(child, source, state)),
                "file_redirect" | "herestring_redirect" => self.redirect(child, source, state),
                "subshell" => self.statement_in_subshell(child, source, state),
                _ => words.extend(self.words(child, source, state)),
            }
        }
        if words.is_empty() {
            for (name, value) in assignments {
                state.set(&name, value);
            }
            return;
        }
        self.run(words, assignments, input, state);
    }

    fn run(
        &mut self,
        words: Vec<Word>,
        assignments: Vec<Assignment>,
        input: Option<&str>,
        state: &mut State,
    ) {
        let body = words.first().and_then(Word::literal).and_then(|name| state.function(name));
        if let Some(body) = body {
            return self.text(&body, state, self.depth + 1);
        }
        let mut own = state.clone();
        for (name, value) in assignments {
            own.set(&name, value);
            own.export(&name);
        }
        let is_known = words.iter().all(|word| word.literal().is_some());
        let Some(unwrapped) = wrapper::take_off(words, &mut own) else {
            // Nobody can tell which of the words is the program.
            if !is_known {
                self.unknown(&own);
            }
            return;
        };
        let words = unwrapped.words;
        let name = words.first().and_then(Word::literal).map(|name| base_name(name).to_owned());
        let name = name.unwrap_or_default();
        let arguments = words.get(1..).unwrap_or_default();
        match name.as_str() {
            _ if SHELLS.contains(&name.as_str()) => self.shell(&words, input, &own),
            "xargs" => self.xargs(arguments, &own),
            "find" => self.find(&words, &own),
            "git" | "" => self.emit(words, Vec::new(), &own),
            _ if unwrapped.is_program => self.emit(words, Vec::new(), &own),
            "cd" | "chdir" => change_directory(arguments, state),
            "pushd" | "popd" => change_stack(&name, arguments, state),
            "eval" => self.eval(arguments, state),
            "source" | "." => {
                self.emit(words.clone(), Vec::new(), &own);
                let kept = KEPT_BY_SOURCE.map(|name| (name, state.get(name)));
                state.forget_variables();
                for (name, value) in kept {
                    state.set(name, value);
                }
            }
            "read" | "mapfile" | "readarray" | "getopts" | "let" | "printf" => {
                forget_named(arguments, state);
            }
            _ => self.emit(words, Vec::new(), &own),
        }
    }

    fn eval(&mut self, arguments: &[Word], state: &mut State) {
        let texts: Option<Vec<&str>> = arguments.iter().map(Word::literal).collect();
        if let Some(texts) = texts {
            return self.text(&texts.join(" "), state, self.depth + 1);
        }
        self.unknown(state);
        state.forget_variables();
    }

    /// Notes a command of which nothing is known.
    fn unknown(&mut self, state: &State) {
        self.emit(vec![Word::Several], Vec::new(), state);
    }

    /// Reads what a shell runs: its `-c`, or what it gets on standard input.
    fn shell(&mut self, words: &[Word], input: Option<&str>, state: &State) {
        let mut has_command = false;
        let mut rest = &words[1..];
        while let Some((first, after)) = rest.split_first() {
            let text = first.literal().unwrap_or_default();
            let is_option = text.len() > 1 && text.starts_with(['-', '+']);
            if !is_option {
                break;
            }
            rest = after;
            let letters = &text[1..];
            let is_long = letters.starts_with('-');
            has_command |= !is_long && letters.contains('c');
            let takes_value = if is_long {
                matches!(letters, "-rcfile" | "-init-file")
            } else {
                letters.contains(['o', 'O'])
            };
            if takes_value {
                rest = rest.get(1..).unwrap_or_default();
            }
        }
        let mut inner = state.for_program();
        match (has_command, rest.first(), input) {
            (true, Some(Word::Literal(text)), _) => {
                for (at, word) in rest[1..].iter().enumerate() {
                    inner.set(&at.to_string(), known(word.clone()));
                    if *word == Word::Any {
                        for name in ["1", "2", "3", "@", "*"] {
                            inner.set(name, Some(Value::Any));
                        }
                    }
                }
                self.text(text, &mut inner, self.depth + 1);
            }
            (true, Some(_), _) => self.unknown(state),
            (false, None, Some(input)) => self.text(input, &mut inner, self.depth + 1),
            _ => self.emit(words.to_vec(), Vec::new(), state),
        }
    }

    /// Reads the command that `xargs` adds paths to.
    fn xargs(&mut self, arguments: &[Word], state: &State) {
        let mut rest = arguments;
        let mut replaced: Option<String> = None;
        while let Some((first, after)) = rest.split_first() {
            let Some(text) = first.literal() else { break };
            if !text.starts_with('-') || text.len() < 2 {
                break;
            }
            rest = after;
            let (name, attached) = match text.strip_prefix("--") {
                Some("") => break,
                Some(long) => long.split_once('=').unwrap_or((long, "")),
                None => text[1..].split_at(text[1..].chars().next().map_or(0, char::len_utf8)),
            };
            let takes_value = matches!(
                name,
                "n" | "P"
                    | "L"
                    | "s"
                    | "d"
                    | "E"
                    | "a"
                    | "I"
                    | "max-args"
                    | "max-procs"
                    | "max-lines"
                    | "max-chars"
                    | "delimiter"
                    | "arg-file"
            );
            let mut value = attached.to_owned();
            if takes_value && attached.is_empty() {
                let Some((next, after)) = rest.split_first() else { return };
                next.literal().unwrap_or_default().clone_into(&mut value);
                rest = after;
            }
            match name {
                "i" | "replace" if value.is_empty() => replaced = Some("{}".to_owned()),
                "I" | "i" | "replace" => replaced = Some(value),
                _ => {}
            }
        }
        if !rest.is_empty() {
            let mut words = filled_in(rest, replaced.as_deref());
            if replaced.is_none() {
                words.push(Word::Any);
            }
            self.run(words, Vec::new(), None, &mut state.for_program());
        }
    }

    /// Reads `find`, and the commands that it runs for each file.
    fn find(&mut self, words: &[Word], state: &State) {
        self.emit(words.to_vec(), Vec::new(), state);
        let mut rest = words;
        let begins = |word: &Word| {
            let text = word.literal().unwrap_or_default();
            matches!(text, "-exec" | "-execdir" | "-ok" | "-okdir")
        };
        while let Some(at) = rest.iter().position(begins) {
            let mut inner = state.for_program();
            if rest[at].literal().is_some_and(|text| text.ends_with("dir")) {
                inner.go(None);
            }
            rest = &rest[at + 1..];
            let end = rest.iter().position(|word| word.is(";") || word.is("+"));
            let command = filled_in(&rest[..end.unwrap_or(rest.len())], Some("{}"));
            if !command.is_empty() {
                self.run(command, Vec::new(), None, &mut inner);
            }
        }
    }
}

/// Puts any path in the place of a text.
fn filled_in(words: &[Word], replaced: Option<&str>) -> Vec<Word> {
    let filled = |word: &Word| {
        let text = word.literal().unwrap_or_default();
        match replaced.filter(|replaced| !replaced.is_empty() && text.contains(replaced)) {
            // A text for a shell.
            Some(replaced) if text.contains(' ') => {
                Word::Literal(text.replace(replaced, &format!("${{{FILLED_IN}}}")))
            }
            Some(_) => Word::Any,
            None => word.clone(),
        }
    };
    words.iter().map(filled).collect()
}

fn change_directory(arguments: &[Word], state: &mut State) {
    let is_option = |word: &&Word| {
        let text = word.literal().unwrap_or_default();
        text.len() > 1
            && text.starts_with('-')
            && text.bytes().skip(1).all(|byte| b"LPe@-".contains(&byte))
    };
    let options = arguments.iter().take_while(is_option).count();
    match arguments.get(options) {
        None => {
            let home = state.home().map(str::to_owned);
            state.go(home.as_deref());
        }
        Some(word) if word.is("-") => state.go_back(),
        Some(word) => state.go(word.literal().filter(|path| !path.is_empty())),
    }
}

fn change_stack(name: &str, arguments: &[Word], state: &mut State) {
    match (name, arguments) {
        ("popd", []) => state.pop_directory(),
        ("pushd", []) => state.swap_directories(),
        ("pushd", [Word::Literal(path)]) if !path.starts_with(['+', '-']) => {
            state.push_directory();
            state.go(Some(path));
        }
        _ => {
            state.push_directory();
            state.go(None);
        }
    }
}

/// Forgets the values of variables that a command names, because it may set them.
fn forget_named(arguments: &[Word], state: &mut State) {
    for name in arguments.iter().filter_map(Word::literal) {
        if state.get(name).is_some_and(|value| value != Value::Any) {
            state.set(name, None);
        }
    }
}
