//! Completions in real shells, where they are installed.

use std::process::{Command, Stdio};

const GIT_COMPLETION: &str = "/usr/share/bash-completion/completions/git";

/// Completes each line of `LINES` as git's own script does.
const BASH: &str = r#"
source "$GIT_COMPLETION"
source <(git-coord completions bash)
_get_comp_words_by_ref() {
    words=("${COMP_WORDS[@]}") cword=$COMP_CWORD
    cur=${words[cword]} prev=${words[cword - 1]}
}
while IFS= read -r line; do
    read -ra COMP_WORDS <<<"$line"
    [[ $line == *" " ]] && COMP_WORDS+=("")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMPREPLY=()
    __git_wrap__git_main
    echo "${COMPREPLY[*]}"
done <<<"$LINES_TO_COMPLETE"
"#;

fn is_installed(program: &str) -> bool {
    let version = Command::new(program).arg("--version").stdout(Stdio::null()).status();
    version.is_ok_and(|status| status.success())
}

fn path_with_program() -> std::ffi::OsString {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_git-coord"));
    let mut path = program.parent().expect("a directory").as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    path
}

#[test]
fn gits_bash_completion_completes_our_commands_and_options() {
    if !std::path::Path::new(GIT_COMPLETION).exists() {
        return;
    }
    let cases = [
        ("git coord re", "reserve renew release rescue"),
        ("git coord reserve --sh", "--shared"),
        ("git -C /tmp coord ledger ro", "rollback"),
        ("git coord events cursors --re", "--reset"),
        ("git coord completions ", "bash zsh fish"),
        ("git coord --color a", "auto always"),
    ];
    let lines = cases.map(|(line, _)| line).join("\n");
    let output = Command::new("bash")
        .args(["--norc", "-c", BASH])
        .env("PATH", path_with_program())
        .env("GIT_COMPLETION", GIT_COMPLETION)
        .env("LINES_TO_COMPLETE", lines)
        .output()
        .expect("bash starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    for ((line, expected), found) in cases.into_iter().zip(text.lines()) {
        assert!(found.trim().ends_with(expected), "{line}: {found}");
    }
    assert_eq!(text.lines().count(), cases.len(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn scripts_are_well_formed() {
    for shell in ["bash", "zsh", "fish"] {
        if !is_installed(shell) {
            continue;
        }
        let script = format!("git-coord completions {shell} | {shell} -n");
        let status =
            Command::new("sh").args(["-c", &script]).env("PATH", path_with_program()).status();
        assert!(status.expect("sh starts").success(), "{shell}");
    }
}
