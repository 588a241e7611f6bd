//! A shell whose directory and exported variables outlive each command of a page.

use std::path::PathBuf;

use crate::support::content::Content;
use crate::support::gits::Version;
use crate::support::{Output, Repo};

/// Runs the text in `$1` in the state that the previous command left, and saves the new state.
const STEP: &str = r#"
cd "$(cat "$2/directory")" || exit 125
. "$2/variables"
trap 'code=$?; pwd >"$2/directory"; export -p >"$2/variables"; exit $code' EXIT
eval "$1"
"#;

pub(super) struct Session {
    repo: Repo,
    state: PathBuf,
}

impl Session {
    /// Starts a session at the top of a scratch repository with a clean work tree.
    pub(super) fn new() -> Session {
        let repo = Repo::with(&Content::clean());
        // The pages show what most have, and say what is different since.
        repo.git_says(Version(2, 53));
        let state = repo.world().join("tmp/session");
        std::fs::create_dir(&state).expect("a directory can be made");
        let directory = repo.work().display().to_string();
        std::fs::write(state.join("directory"), directory).expect("a file can be written");
        std::fs::write(state.join("variables"), "").expect("a file can be written");
        Session { repo, state }
    }

    /// Runs one command and returns the output of a terminal as stdout.
    pub(super) fn run(&self, command: &str) -> Output {
        let script = format!("exec 2>&1\n{STEP}");
        let call = self.repo.call("").without_env("GIT_COORD_NOW").program("sh");
        // Else `git coord` finds the real one there.
        let call = call.env("GIT_EXEC_PATH", self.repo.world().join("bin"));
        let state = self.state.display().to_string();
        call.args(["-c", &script, "sh", command, &state]).run_unproven()
    }
}

#[test]
fn directory_and_variables_stay() {
    let session = Session::new();
    session.run("cd src && export WHO=ada").done();
    assert_eq!(session.run("echo $WHO; basename \"$PWD\"; false").exits(1).stdout, "ada\nsrc\n");
}
