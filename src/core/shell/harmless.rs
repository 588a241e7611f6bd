//! The programs that change no file of a work tree.

use super::git::GitCall;
use super::{Simple, Word, act};

/// Programs that look, that make something new, or that run elsewhere.
const PROGRAMS: &[&str] = &[
    ":", "[", "basename", "bg", "break", "cal", "cat", "cksum", "cmp", "column", "comm",
    "continue", "cut", "date", "df", "diff", "dirname", "disown", "docker", "du", "echo", "egrep",
    "env", "exit", "expand", "expr", "false", "fg", "fgrep", "file", "fold", "free", "gh", "grep",
    "groups", "hash", "head", "hexdump", "history", "hostname", "id", "jobs", "join", "jq", "kill",
    "less", "ls", "lscpu", "lsof", "man", "md5sum", "mkdir", "more", "nl", "nproc", "od", "paste",
    "pgrep", "podman", "printenv", "printf", "ps", "pwd", "readlink", "realpath", "return", "rev",
    "rg", "seq", "set", "sha1sum", "shift", "sleep", "ssh", "stat", "tac", "tail", "test", "tr",
    "true", "type", "ulimit", "uname", "uptime", "w", "wait", "wc", "which", "who", "whoami",
];
/// Programs that look, unless a word of theirs says where to write.
const PRINTERS: &[&str] = &["awk", "find", "sed", "sort", "tree", "uniq", "xxd"];

/// Tells whether a simple command surely changes no file, or does what the table of verbs says of
/// it and nothing else.
pub(super) fn is_harmless(simple: &Simple) -> bool {
    let is_device = |word: &Word| word.literal().is_some_and(|path| path.starts_with("/dev/"));
    if !simple.writes.iter().all(is_device) {
        return false;
    }
    // An effect of which nothing is known stands for a program or a verb that is not known.
    let Some(program) = simple.program() else { return true };
    match program {
        "git" => GitCall::read(simple).is_none_or(|call| act::is_known_verb(&call.verb)),
        "git-coord" => true,
        _ if PRINTERS.contains(&program) => only_prints(program, &simple.words[1..]),
        _ => PROGRAMS.contains(&program),
    }
}

/// Tells whether no word of a program says where to write.
fn only_prints(program: &str, arguments: &[Word]) -> bool {
    let is_option = |text: &str| text.starts_with('-') && !text.starts_with("--");
    let writes = |word: &Word| {
        let Some(text) = word.literal() else { return !matches!(program, "find" | "sort") };
        match program {
            "awk" => text.contains(['>', '|']) || text.contains("system"),
            "find" => text == "-delete" || text.starts_with("-fprint"),
            "sed" => text.starts_with("--in-place") || is_option(text) && text.contains('i'),
            _ => text.starts_with("--output") || is_option(text) && text.contains('o'),
        }
    };
    let is_operand = |word: &&Word| word.literal().is_none_or(|text| !text.starts_with('-'));
    let has_target =
        matches!(program, "uniq" | "xxd") && arguments.iter().filter(is_operand).count() > 1;
    !has_target && !arguments.iter().any(writes)
}
