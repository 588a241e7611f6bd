//! Repositories with a project in them, and the program's answers about it.

use serde_json::Value;

use crate::support::content::Content;
use crate::support::{Output, Repo, texts};

pub(super) const DOMAINS_REF: &str = "refs/coord/domains";

/// A web service.
pub(super) const SERVICE: &[(&str, &str)] = &[
    ("package.json", r#"{"dependencies":{"express":"^4"}}"#),
    ("src/routes/users.js", ""),
    ("notes.txt", "to do\n"),
];

/// Creates a repository with these files in its first commit.
pub(super) fn project(files: &[(&'static str, &'static str)]) -> Repo {
    let content = files
        .iter()
        .fold(Content::default(), |content, (path, text)| content.committed(path, text));
    let repo = Repo::with(&content);
    if files.is_empty() {
        repo.git(["commit", "--quiet", "--allow-empty", "--message", "first"]);
    }
    repo
}

/// Creates a web service whose kind is recorded.
pub(super) fn detected() -> Repo {
    let repo = project(SERVICE);
    repo.coord("ada", ["domain", "detect"]).done();
    repo
}

/// Runs `domain check`.
#[track_caller]
pub(super) fn check(repo: &Repo) -> Output {
    repo.coord_json("ada", ["domain", "check"])
}

/// Returns the exit code of `domain check`.
#[track_caller]
pub(super) fn check_code(repo: &Repo) -> i32 {
    check(repo).code
}

/// Lists the changes that make the record stale.
#[track_caller]
pub(super) fn reasons(repo: &Repo) -> Vec<String> {
    texts(&check(repo).json()["reasons"], "change")
}

/// Lists the names of domains in an answer.
#[track_caller]
pub(super) fn names(answer: &Value) -> Vec<String> {
    texts(&answer["domains"], "name")
}

/// Reads the newest entry of the ledger of domains; empty if there is none.
pub(super) fn tip(repo: &Repo) -> String {
    let call = repo.git_call(["rev-parse", "--verify", "--quiet", DOMAINS_REF]);
    call.run_unproven().stdout.trim_end().to_owned()
}
