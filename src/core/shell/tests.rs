//! The reading of single forms. `tests/it/shell_commands.rs` holds it against a real shell.

use super::git::GitCall;
use super::*;

fn start() -> Start {
    let variables = [("HOME", "/u/me")].map(|(k, v)| (k.to_owned(), Known::Is(v.to_owned())));
    let unset = ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"];
    let unset = unset.map(|name| (name.to_owned(), Known::Unset));
    Start { directory: "/top".into(), variables: variables.into_iter().chain(unset).collect() }
}

/// Lists the git calls of a command: directory, then verb and arguments.
fn calls(text: &str) -> Vec<String> {
    let reading = read(text, &start());
    let calls = reading.commands.iter().filter_map(GitCall::read);
    calls.map(|call| shown(&call)).collect()
}

fn shown(call: &GitCall) -> String {
    let directory = call.directory.as_ref().map_or("?".into(), |path| path.display().to_string());
    let words = call.arguments.iter().map(|word| match word {
        Word::Literal(text) => text.clone(),
        Word::Glob(glob) => format!("<glob {}>", glob.pattern),
        Word::Any => "<any>".to_owned(),
        Word::Unknown => "<one>".to_owned(),
        Word::Several => "<some>".to_owned(),
    });
    let words: Vec<String> =
        [format!("{directory}:"), call.verb.clone()].into_iter().chain(words).collect();
    words.join(" ")
}

#[track_caller]
fn same(text: &str, expected: &[&str]) {
    assert_eq!(calls(text), expected, "{text}");
}

#[test]
fn every_command_of_a_list_is_found() {
    same(
        "git a && git b; git c | git d & git e || git f",
        &["/top: a", "/top: b", "/top: c", "/top: d", "/top: e", "/top: f"],
    );
    same(
        "if git a; then git b; elif git c; then git d; else git e; fi",
        &["/top: a", "/top: b", "/top: c", "/top: d", "/top: e"],
    );
    same(
        "x=$(git a) y=`git b` cat <(git c) \"$(git d)\"",
        &["/top: a", "/top: b", "/top: c", "/top: d"],
    );
    same("(git a); { git b; }; ! git c", &["/top: a", "/top: b", "/top: c"]);
    same("case x in x) git a;; *) git b;; esac; git c", &["/top: a", "/top: b", "/top: c"]);
    same("[ -f x ] && git a; [[ -n \"$(git b)\" ]] && git c", &["/top: a", "/top: b", "/top: c"]);
}

#[test]
fn the_directory_is_followed() {
    same("cd a && git x; cd ../b; git y; cd /c; git z", &["/top/a: x", "/top/b: y", "/c: z"]);
    same("(cd a; git x); git y", &["/top/a: x", "/top: y"]);
    same("cd a | git x; cd b & git y", &["/top: x", "/top: y"]);
    same("cd; git x; cd ~/p; git y; cd -; git z", &["/u/me: x", "/u/me/p: y", "/u/me: z"]);
    same(
        "pushd a; git x; pushd b; git y; popd; git z; pushd; git w",
        &["/top/a: x", "/top/a/b: y", "/top/a: z", "/top: w"],
    );
    same("cd \"$X\" && git x; cd /a; git y", &["?: x", "/a: y"]);
    same("git -C a -C b x; git -C /c y; git -C \"$X\" z", &["/top/a/b: x", "/c: y", "?: z"]);
    same("env -C a git x; sudo -D /b git y", &["/top/a: x", "/b: y"]);
    same("cd a || git x; git y", &["/top: x", "/top/a: y"]);
    same("if true; then cd a; git x; fi; git y", &["/top/a: x", "?: y"]);
    same("for d in a b; do cd $d; git x; cd ..; done", &["/top/a: x", "/top/b: x"]);
    same("for d in */; do cd $d; git x; done", &["?: x"]);
    same("cd \"$HOME\"; git x; cd \"$PWD/q\"; git y", &["/u/me: x", "/u/me/q: y"]);
}

#[test]
fn variables_that_git_reads_are_followed() {
    let git_dirs = |text: &str| -> Vec<Setting> {
        let reading = read(text, &start());
        reading.commands.iter().filter_map(GitCall::read).map(|call| call.git_dir).collect()
    };
    let is = |text: &str| Setting::Is(text.to_owned());
    for (text, expected) in [
        ("GIT_DIR=x git a; git b", vec![is("x"), Setting::Unset]),
        ("export GIT_DIR=x; git a; unset GIT_DIR; git b", vec![is("x"), Setting::Unset]),
        ("GIT_DIR=x; git a; export GIT_DIR; git b", vec![Setting::Unset, is("x")]),
        ("env GIT_DIR=x git a", vec![is("x")]),
        ("git --git-dir=x a; git --git-dir x b", vec![is("x"), is("x")]),
        ("export GIT_DIR=\"$Y\"; git a", vec![Setting::Unknown]),
        ("export GIT_DIR=x; env -u GIT_DIR git a", vec![Setting::Unset]),
        ("(export GIT_DIR=x); git a", vec![Setting::Unset]),
    ] {
        assert_eq!(git_dirs(text), expected, "{text}");
    }
}

#[test]
fn what_stands_before_a_command_is_taken_off() {
    for before in [
        "command",
        "builtin command",
        "exec",
        "env",
        "env A=1 -u B",
        "env -i",
        "nice",
        "nice -n 19",
        "nice -19",
        "nohup",
        "time",
        "time -p",
        "timeout 5",
        "timeout -k 1s -s KILL 5m",
        "timeout --signal=INT 3",
        "stdbuf -oL -e0",
        "setsid -w",
        "sudo",
        "sudo -E -u me",
        "doas",
        "sudo A=b -n",
        "!",
        "A=1 B=2",
        "ionice -c 3",
        "env -S 'A=1 nice -n 3'",
        "command -p",
        "2>/dev/null",
        "nohup nice env",
    ] {
        same(&format!("{before} git x y"), &["/top: x y"]);
    }
    same("/usr/bin/git x", &["/top: x"]);
    same("command -v git x; type git x; echo git x; printf '%s' git x; ssh host git x", &[]);
    same("docker exec box git x; docker run box git x; make git; npm run git; $G x", &[]);
}

#[test]
fn a_shell_inside_of_a_shell_is_read() {
    for text in [
        "bash -c 'git x y'",
        "sh -c \"git x y\"",
        "bash -lc 'git x y'",
        "bash -euo pipefail -c 'git x y'",
        "/bin/bash --norc -c 'git x y' name",
        "zsh -c 'bash -c \"git x y\"'",
        "eval 'git x y'",
        "eval git x y",
        "bash <<E\ngit x y\nE",
        "bash -s <<'E'\ngit x y\nE",
        "env A=1 bash -c 'git x y'",
        "f() { git x y; }; f",
        "bash -c 'git x \"$1\"' _ y",
    ] {
        same(text, &["/top: x y"]);
    }
    same("cat <<E\ngit x\nE", &[]);
    same("cat <<E && git y\ngit x\nE", &["/top: y"]);
    same("cat <<E | git apply\ngit x\nE", &["/top: apply"]);
    same("git commit -m \"$(cat <<'E'\ngit x 'it'\nE\n)\"", &["/top: commit -m <one>"]);
    same("cd a; bash -c 'cd b; git x'; git y", &["/top/a/b: x", "/top/a: y"]);
    same("echo 'git x'; : \"git y\" # git z", &[]);
}

#[test]
fn paths_that_are_filled_in_may_be_any() {
    same("ls | xargs git checkout --", &["/top: checkout -- <any>"]);
    same("ls | xargs -0 -n1 -P 4 git checkout --", &["/top: checkout -- <any>"]);
    same("ls | xargs -I{} git checkout -- {}", &["/top: checkout -- <any>"]);
    same("ls | xargs -I % sh -c 'git checkout -- %'", &["/top: checkout -- <any>"]);
    same("ls | xargs sh -c 'git checkout -- \"$@\"' _", &["/top: checkout -- <any>"]);
    same("find . -name x -exec git checkout -- {} +", &["/top: checkout -- <any>"]);
    same("find . -exec sh -c 'git rm \"$1\"' _ {} \\;", &["/top: rm <any>"]);
    same("for f in $(ls); do git checkout -- \"$f\"; done", &["/top: checkout -- <any>"]);
    same("for f in a 'b c'; do git rm \"$f\"; done", &["/top: rm a", "/top: rm b c"]);
    same("git diff | while read -r f; do git rm \"$f\"; done", &["/top: diff", "/top: rm <any>"]);
    same("F=a; git rm $F \"${F}b\" $G \"$G\"", &["/top: rm a ab <some> <one>"]);
}

#[test]
fn words_are_those_of_the_shell() {
    same("git x 'a b' \"c\\\"d\" e\\ f $'g\\n' ''", &["/top: x a b c\"d e f g\n "]);
    same("git x src/{a,b}.rs {,z} HEAD@{1}", &["/top: x src/a.rs src/b.rs z HEAD@{1}"]);
    same("git x *.rs 'a*'?", &["/top: x <glob *.rs> <glob a\\*?>"]);
    same("git x {1..3}", &["/top: x <some>"]);
}

#[test]
fn files_that_are_written_are_found() {
    let writes = |text: &str| -> Vec<Word> {
        read(text, &start()).commands.into_iter().flat_map(|simple| simple.writes).collect()
    };
    let literal = |text: &str| Word::Literal(text.to_owned());
    assert_eq!(
        writes("a > x; b >>y 2>&1; c &>z; d 2>w >&2; e < v"),
        ["x", "y", "z", "w"].map(literal)
    );
    assert_eq!(writes("{ a; b; } > x; cat <<E > y\nz\nE"), ["x", "y"].map(literal));
}

#[test]
fn what_is_too_much_is_not_read() {
    let is_whole = |text: &str| read(text, &start()).is_whole;
    assert!(is_whole("git x"));
    assert!(!is_whole(&"git x;".repeat(COMMANDS_MAX + 1)));
    assert_eq!(read(&"git x;".repeat(COMMANDS_MAX + 1), &start()).commands.len(), COMMANDS_MAX);
    assert!(!is_whole(&format!("git {}", "x".repeat(TEXT_BYTES_MAX))));
    assert!(!is_whole(&format!("{}git x{}", "(".repeat(5000), ")".repeat(5000))));
    assert!(!is_whole("f() { f; f; git x; }; f"));
    assert!(!is_whole("git x 'and so on"));
}
