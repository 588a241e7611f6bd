//! Hooks as git runs them: a stand-in for the program that records its calls, and hooks of the
//! user's that do the same.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::env::program;
use super::gits::Version;
use super::{Call, Repo};

/// Replaces a file by an executable script. The file can be a link to a program of the machine,
/// which must not be written through.
///
/// Another process writes it: a file that this process has open for writing is open in each child
/// that another test starts, until that child executes its program, and a script that is open for
/// writing cannot be run.
pub(crate) fn put_script(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().expect("a file lies in a directory")).expect("made");
    fs::remove_file(path).ok();
    let mut write = Command::new("sh");
    write.args(["-c", "cat >\"$1\"", "sh"]).arg(path).stdin(Stdio::piped());
    let mut child = write.spawn().expect("a shell is everywhere");
    let mut stdin = child.stdin.take().expect("it was asked for");
    stdin.write_all(text.as_bytes()).expect("a script can be written");
    drop(stdin);
    assert!(child.wait().expect("a child can be waited for").success());
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("made executable");
}

/// Copies the program to a path. Another process copies it, for the same reason as in
/// [`put_script`].
pub(crate) fn put_program(path: &Path) {
    fs::create_dir_all(path.parent().expect("a file lies in a directory")).expect("made");
    let mut copy = Command::new("sh");
    copy.args(["-c", "cat <\"$1\" >\"$2\" && chmod +x \"$2\"", "sh"]).arg(program()).arg(path);
    assert!(copy.status().expect("a shell is everywhere").success());
}

/// Creates a repository whose git runs hooks from files only, as before 2.54, whatever the machine
/// has.
pub(crate) fn repo_with_hooks_in_files() -> Repo {
    let repo = Repo::new();
    repo.git_says(Version(2, 53));
    repo
}

/// Replaces `git-coord` while git runs hooks. It records arguments and input, and answers as the
/// test wants.
pub(crate) struct StandIn {
    directory: PathBuf,
}

impl StandIn {
    /// Creates a stand-in that agrees with everything.
    pub(crate) fn in_world_of(repo: &Repo) -> StandIn {
        let stand_in = StandIn { directory: repo.world().join("tmp/stand-in") };
        let log = stand_in.log_path().display().to_string();
        put_script(&stand_in.directory.join("git-coord"), &recording("git-coord", &log, 0));
        stand_in
    }

    /// Sets the exit code of later calls.
    pub(crate) fn answer(&self, code: i32) {
        let log = self.log_path().display().to_string();
        put_script(&self.directory.join("git-coord"), &recording("git-coord", &log, code));
    }

    /// Writes a hook of the user's that records into the same log and ends with this exit code.
    pub(crate) fn put_hook(&self, path: &Path, code: i32) {
        put_script(path, &recording("theirs", &self.log_path().display().to_string(), code));
    }

    /// Writes a hook of the user's whose interpreter is not a shell.
    pub(crate) fn put_foreign_hook(&self, path: &Path, code: i32) {
        let text = recording("theirs", &self.log_path().display().to_string(), code);
        let script = path.with_extension("sh");
        // The first argument is then the hook itself.
        put_script(&script, &text.replacen('\n', "\nshift\n", 1));
        // To our parser this is a program called `-S`.
        put_script(path, &format!("#!/usr/bin/env -S sh {}\n", script.display()));
    }

    /// Prepares a call of git that finds the stand-in.
    pub(crate) fn git(&self, repo: &Repo, args: &[&str]) -> Call {
        let machine = std::env::var_os("PATH").unwrap_or_default();
        let all = [self.directory.clone()].into_iter().chain(std::env::split_paths(&machine));
        repo.git_call(args).env("PATH", std::env::join_paths(all).expect("plain paths"))
    }

    /// Takes the lines of the log since the last call.
    pub(crate) fn log(&self) -> Vec<String> {
        let text = fs::read_to_string(self.log_path()).unwrap_or_default();
        fs::remove_file(self.log_path()).ok();
        text.lines().map(str::to_owned).collect()
    }

    fn log_path(&self) -> PathBuf {
        self.directory.join("log")
    }
}

fn recording(who: &str, log: &str, code: i32) -> String {
    format!(
        "#!/bin/sh\necho \"{who}: $*\" >>'{log}'\n\
         while read -r line; do echo \"{who} reads: $line\" >>'{log}'; done\nexit {code}\n"
    )
}
