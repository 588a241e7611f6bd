//! The environment of every process that a test starts: nothing of the machine's but `PATH`, so
//! that tests run in parallel and anywhere (0/IMP-4).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the program under test, found relative to the test suite itself (0/SHELL-02).
pub(crate) fn program() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_git-coord"))
}

/// Clears the environment of `command` and fills it with the paths of `world`.
pub(crate) fn make_hermetic(command: &mut Command, world: &Path) {
    command.env_clear();
    command.env("PATH", path_in(world));
    command.env("HOME", world.join("home"));
    command.env("XDG_CONFIG_HOME", world.join("home/.config"));
    command.env("TMPDIR", world.join("tmp"));
    command.envs(FIXED);
}

const FIXED: [(&str, &str); 12] = [
    ("GIT_CONFIG_GLOBAL", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/support/gitconfig")),
    ("GIT_CONFIG_SYSTEM", "/dev/null"),
    ("GIT_CONFIG_NOSYSTEM", "1"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_AUTHOR_NAME", "Ada"),
    ("GIT_AUTHOR_EMAIL", "ada@example.com"),
    ("GIT_AUTHOR_DATE", "2026-01-05T09:00:00Z"),
    ("GIT_COMMITTER_NAME", "Ada"),
    ("GIT_COMMITTER_EMAIL", "ada@example.com"),
    ("GIT_COMMITTER_DATE", "2026-01-05T09:00:00Z"),
    ("LC_ALL", "C"),
    ("TZ", "UTC"),
];

/// Builds `PATH` with the program's directory in front, so that `git coord` finds it, and with the
/// programs that the world prefers to the machine's.
fn path_in(world: &Path) -> OsString {
    let program = program();
    let own = program.parent().expect("a program lies in a directory").to_path_buf();
    let machine = std::env::var_os("PATH").unwrap_or_default();
    let all = [own, world.join("bin")].into_iter().chain(std::env::split_paths(&machine));
    std::env::join_paths(all).expect("no entry of PATH contains a separator")
}

/// 0/IMP-4: neither the configuration nor the environment of the machine reaches a test.
#[test]
fn nothing_of_the_machine_is_seen() {
    let repo = super::Repo::new();
    let scopes = repo.git(["config", "--list", "--show-scope"]);
    let ours = |line: &str| line.starts_with("local\t") || line == "global\tgc.autodetach=false";
    assert!(scopes.lines().all(ours), "{scopes}");
    let seen = repo.call("").program("env").run_unproven().stdout;
    let home = format!("HOME={}", repo.world().join("home").display());
    assert!(seen.lines().any(|line| line == home), "{seen}");
    assert!(std::env::var_os("CARGO").is_some(), "cargo sets it for the tests themselves");
    assert!(!seen.lines().any(|line| line.starts_with("CARGO")), "{seen}");
}
