//! The reader of shell commands, held against a real shell: bash runs generated commands with a git
//! that only notes its words, its directory and its variables, and the reader must have said so.

use std::path::{Path, PathBuf};
use std::process::Command;

use git_coord::core::shell::{Known, Setting, Simple, Start, Word, read};
use proptest::prelude::*;

use crate::support::hooks::put_script;

/// Directories that exist where the commands run.
const DIRECTORIES: [&str; 5] = ["a", "a/b", "c", "d e", "c/-x"];

/// A git that notes how it was called.
const STUB: &str = "#!/bin/sh\n\
    { pwd -P | tr '\\n' '\\0'; printf '%s\\0' \"${GIT_DIR-unset}\" \"$#\"; \
    [ $# -eq 0 ] || printf '%s\\0' \"$@\"; } >>\"$SHELL_LOG\"\n";

/// A call of git: directory, `GIT_DIR` and words.
type Seen = (PathBuf, String, Vec<String>);

/// Runs a command in bash, and returns the calls of git in it.
fn run_in_bash(command: &str, top: &Path) -> Vec<Seen> {
    let log = top.join("../log");
    std::fs::write(&log, "").unwrap();
    let path = format!("{}:{}", top.join("../bin").display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .args(["--norc", "-c", command])
        .current_dir(top)
        .env("PATH", path)
        .env("SHELL_LOG", &log)
        .env("HOME", top)
        .env_remove("GIT_DIR")
        .env_remove("BASH_ENV")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("syntax error"), "{command}\n{said}");
    let log = std::fs::read(&log).unwrap();
    let mut fields =
        log.split(|byte| *byte == 0).map(|field| String::from_utf8(field.to_vec()).unwrap());
    let mut seen = Vec::new();
    while let (Some(directory), Some(git_dir), Some(count)) =
        (fields.next(), fields.next(), fields.next())
    {
        let words = fields.by_ref().take(count.parse().unwrap()).collect();
        seen.push((PathBuf::from(directory), git_dir, words));
    }
    seen
}

/// Makes the directories and the stub.
fn world() -> (tempfile::TempDir, PathBuf) {
    let home = tempfile::tempdir().unwrap();
    let top = home.path().canonicalize().unwrap().join("top");
    for directory in DIRECTORIES {
        std::fs::create_dir_all(top.join(directory)).unwrap();
    }
    put_script(&top.join("../bin/git"), STUB);
    (home, top)
}

fn start(top: &Path) -> Start {
    let home = Known::Is(top.to_str().unwrap().to_owned());
    let unset = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];
    let unset = unset.map(|name| (name.to_owned(), Known::Unset));
    let variables = [("HOME".to_owned(), home)].into_iter().chain(unset).collect();
    Start { directory: top.to_owned(), variables }
}

/// Fails unless the reader found what bash ran. With `strictly`, nothing may be unknown.
fn compare(command: &str, top: &Path, strictly: bool) -> Result<(), String> {
    let seen = run_in_bash(command, top);
    let reading = read(command, &start(top));
    let is_git = |simple: &&Simple| simple.program() == Some("git");
    let found: Vec<&Simple> = reading.commands.iter().filter(is_git).collect();
    let fail = |why: &str| Err(format!("{why}\n{command}\nbash: {seen:?}\nread: {found:?}"));
    if found.len() != seen.len() || !reading.is_whole {
        return fail("another number of calls");
    }
    for (simple, (directory, git_dir, words)) in found.iter().zip(&seen) {
        match &simple.directory {
            Some(known) if known != directory => return fail("another directory"),
            None if strictly => return fail("the directory is not known"),
            _ => {}
        }
        let is_same = match &simple.variables.git_dir {
            Setting::Unset => git_dir == "unset",
            Setting::Is(value) => value == git_dir,
            Setting::Unknown => !strictly,
        };
        if !is_same {
            return fail("another GIT_DIR");
        }
        if !are_same(&simple.words[1..], words) {
            return fail("other words");
        }
        let is_open = |word: &Word| matches!(word, Word::Unknown | Word::Several);
        // A variable that nobody has set may come from anywhere.
        let is_known = strictly && !command.contains("$V") && !command.contains("${V}");
        if is_known && simple.words.iter().any(is_open) {
            return fail("a word is not known");
        }
    }
    Ok(())
}

/// Compares words. What is not known may be anything.
fn are_same(found: &[Word], seen: &[String]) -> bool {
    let Some((first, rest)) = found.split_first() else { return seen.is_empty() };
    let one = |fits: bool| fits && !seen.is_empty() && are_same(rest, &seen[1..]);
    match first {
        Word::Literal(text) => one(seen.first() == Some(text)),
        // There are no files, so the shell passes the pattern on.
        Word::Glob(glob) => one(seen.first() == Some(&glob.text)),
        Word::Unknown => one(true),
        Word::Any | Word::Several => (0..=seen.len()).any(|count| are_same(rest, &seen[count..])),
    }
}

/// Writes a text so that a shell reads it as one word, in one of several ways.
fn quoted(text: &str, style: u8) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./:=@,+-".contains(c);
    let single = || format!("'{}'", text.replace('\'', "'\\''"));
    let escaped = |letter: char| match letter {
        '\\' | '"' | '$' | '`' => format!("\\{letter}"),
        letter => letter.to_string(),
    };
    match style % 6 {
        0 if !text.is_empty() && text.chars().all(is_plain) => text.to_owned(),
        1 => format!("\"{}\"", text.chars().map(escaped).collect::<String>()),
        // The grammar loses an escaped blank at the beginning of a word, and a backslash at the end
        // of `$'...'`.
        2 if !text.is_empty() && !text.contains(' ') => {
            text.chars().flat_map(|c| ['\\', c]).collect()
        }
        3 if !text.contains('\\') => format!("$'{}'", text.replace('\'', "\\'")),
        4 => {
            let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
            let (left, right) = text.split_at(half);
            format!("{}{}", quoted(left, 1), quoted(right, 5))
        }
        _ => single(),
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z]{1,5}",
        2 => "[a-z./*?$\"'`\\\\ ;&|<>(){}!#~-]{1,6}",
        1 => Just(String::new()),
        1 => Just("HEAD~1".to_owned()),
        1 => Just("stash@{0}".to_owned()),
        1 => Just("--".to_owned()),
        1 => Just(":/a b".to_owned()),
    ]
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (text(), any::<u8>()).prop_map(|(text, style)| quoted(&text, style)),
        1 => Just("$V".to_owned()),
        1 => Just("\"${V}w\"".to_owned()),
        1 => Just("x{1,2}y".to_owned()),
        1 => Just("*.none".to_owned()),
        1 => Just("~/x".to_owned()),
        1 => Just("\"$PWD\"".to_owned()),
    ]
}

fn directory() -> impl Strategy<Value = String> {
    let directory = prop::sample::select(&DIRECTORIES[..]);
    (directory, any::<u8>()).prop_map(|(directory, style)| {
        let style = if directory.contains(' ') { style | 1 } else { style };
        format!("~/{}", quoted(directory, style))
    })
}

fn call() -> impl Strategy<Value = String> {
    let before = prop::sample::select(vec![
        "",
        "",
        "",
        "env ",
        "command ",
        "nice -n 5 ",
        "nice ",
        "timeout 10 ",
        "timeout -k 1 10s ",
        "env -u X Y=1 ",
        "GIT_DIR=x ",
        "env GIT_DIR=y ",
        "A=1 GIT_DIR= ",
        "env -C ~/a ",
        "time ",
        "nohup ",
        "env -i PATH=\"$PATH\" SHELL_LOG=\"$SHELL_LOG\" ",
        "stdbuf -oL ",
        "setsid -w ",
        "command env -u GIT_DIR nice ",
        "2>/dev/null ",
        ">../out ",
    ]);
    // `env -i` has words that are not known before the program, which is then not known either.
    let before = before.prop_filter("known", |before| !before.contains("-i"));
    let after = prop::sample::select(vec!["", "", " >../out", " 2>&1", " </dev/null", " | cat"]);
    (before, prop::collection::vec(word(), 0..4), after)
        .prop_map(|(before, words, after)| format!("{before}git {}{after}", words.join(" ")))
}

/// Statements, each of which bash runs completely.
fn statement() -> BoxedStrategy<String> {
    let simple = prop_oneof![
        6 => call(),
        2 => directory().prop_map(|directory| format!("cd {directory}")),
        1 => Just("cd -- ..; cd ~".to_owned()),
        1 => Just("cd".to_owned()),
        1 => directory().prop_map(|directory| format!("pushd {directory} >/dev/null")),
        1 => directory().prop_map(|to| format!("pushd {to} >/dev/null; git in; popd >/dev/null")),
        1 => (text(), any::<u8>()).prop_map(|(text, style)| {
            // A value with blanks or wildcards would be split again.
            let value = text.replace([' ', '*', '?', '[', '\\'], "");
            format!("V=v{}", quoted(&value, style))
        }),
        1 => Just("export GIT_DIR=exported".to_owned()),
        1 => Just("GIT_DIR=plain".to_owned()),
        1 => Just("unset GIT_DIR".to_owned()),
        1 => Just(": git not run # git comment".to_owned()),
    ];
    simple
        .prop_recursive(4, 24, 4, |inner| {
            let several = prop::collection::vec(inner.clone(), 1..4);
            let lines = several.clone().prop_map(|all| all.join("\n"));
            prop_oneof![
                several.prop_map(|all| all
                    .iter()
                    .map(|one| format!("{{ {one}\n}}"))
                    .collect::<Vec<_>>()
                    .join(" && ")),
                lines.clone(),
                lines.clone().prop_map(|all| format!("( {all}\n)")),
                lines.clone().prop_map(|all| format!("{{ {all}\n}}")),
                lines.clone().prop_map(|all| format!("{{ {all}\n}} | cat")),
                lines.clone().prop_map(|all| format!("{{ {{ {all}\n}} & wait; }}")),
                lines
                    .clone()
                    .prop_map(|all| format!("for f in p 'q r'; do git loop \"$f\"; {all}\ndone")),
                lines.clone().prop_map(|all| format!("f() {{ {all}\n}}\nf\nf")),
                lines.clone().prop_map(|all| format!("echo \"$( {all}\n)\" >/dev/null")),
                lines
                    .clone()
                    .prop_map(|all| format!("cat <<E{}\ngit data\n$( {all}\n)\nE{0}", all.len())),
                lines.clone().prop_map(|all| format!("eval {}", quoted(&all, 5))),
                (lines.clone(), 0..2u8).prop_map(|(all, style)| format!(
                    "bash --norc -ec {}",
                    quoted(&all, 1 + 4 * style)
                )),
                lines.prop_map(|all| format!("bash --norc <<'E{}'\n{all}\nE{0}", all.len())),
            ]
        })
        .boxed()
}

/// Statements after which not everything is known.
fn open_statement() -> impl Strategy<Value = String> {
    let several = prop::collection::vec(statement(), 1..3).prop_map(|all| all.join("\n"));
    prop_oneof![
        several.clone().prop_map(|all| format!("if true; then {all}\nfi\ngit after")),
        several.clone().prop_map(|all| format!("false || {{ {all}\n}}\ngit after")),
        several.clone().prop_map(|all| format!("cd ./nowhere 2>/dev/null || {{ {all}\n}}")),
        several.clone().prop_map(|all| format!("case x in x) {all}\n;; esac\ngit after")),
        several
            .clone()
            .prop_map(|all| format!("i=; while [ -z \"$i\" ]; do i=1; {all}\ndone\ngit after")),
        several
            .clone()
            .prop_map(|all| format!("for f in $(echo p); do git loop \"$f\"; {all}\ndone")),
        several.clone().prop_map(|all| format!("printf 'p q' | xargs -n 2 git add --\n{all}")),
        several
            .clone()
            .prop_map(|all| format!("printf p | xargs -I% bash -c 'git add \"$1\"' _ %\n{all}")),
        several.prop_map(|all| format!("cd \"$(echo a)\" || exit\n{all}")),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    /// 8/HARMLESS: whatever the quotes, wrappers, directories and shells inside of shells, the
    /// reader finds each call of git, in order, with its words and its directory.
    #[test]
    fn what_bash_runs_is_what_was_read(command in statement()) {
        let (_home, top) = world();
        if let Err(why) = compare(&command, &top, true) {
            return Err(TestCaseError::fail(why));
        }
    }

    /// Where the text does not tell everything, the reader claims nothing that is not so.
    #[test]
    fn nothing_untrue_is_claimed(command in open_statement()) {
        let (_home, top) = world();
        if let Err(why) = compare(&command, &top, false) {
            return Err(TestCaseError::fail(why));
        }
    }
}
