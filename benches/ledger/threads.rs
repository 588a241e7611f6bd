//! Many open requests beside few. An open request is stored under the agents that it concerns, so
//! that nobody reads closed requests, or requests between others.

use crate::repository::{GIT_COORD, Repository};
use crate::table::compared;

const FEW: usize = 10;
const MANY: usize = 1_000;

/// Prints the rows.
pub(crate) fn compare() {
    let (few, many) = (with_open_requests(FEW), with_open_requests(MANY));
    let read = |repository: &Repository, agent: &str, command: &str| {
        repository.run(GIT_COORD, &["--as", agent, "-q", command])
    };
    // An agent that is asked a thousand times reads them all.
    for command in ["inbox", "status"] {
        let what = format!("`{command}` of the holder, 1,000 open requests / 10");
        compared(
            &what,
            "stated",
            || read(&many, "holder", command),
            || read(&few, "holder", command),
        );
    }
    let what = "`inbox` of somebody else, 1,000 open requests / 10";
    compared(what, "1.3x", || read(&many, "other", "inbox"), || read(&few, "other", "inbox"));
    // Asking again joins the request, so that both sides stay as they are.
    let ask = |repository: &Repository| {
        repository.run(GIT_COORD, &["--as", "asker", "-q", "ask", "held/f0", "--reason", "r"])
    };
    let what = "`ask`, joined, 1,000 open requests / 10";
    compared(what, "1.3x", || ask(&many), || ask(&few));
}

/// Creates a repository in which one agent asks another for this many paths. Their creation is not
/// measured, and therefore not synced.
fn with_open_requests(count: usize) -> Repository {
    let repository = Repository::new();
    repository.run("git", &["config", "coord.fsync", "false"]);
    let paths: Vec<String> = (0..count).map(|number| format!("held/f{number}")).collect();
    for some in paths.chunks(500) {
        let mut words = vec!["--as", "holder", "-q", "reserve", "--ttl", "24h"];
        words.extend(some.iter().map(String::as_str));
        repository.run(GIT_COORD, &words);
    }
    for path in &paths {
        repository.run(GIT_COORD, &["--as", "asker", "-q", "ask", path, "--reason", "needed"]);
    }
    repository.run("git", &["config", "--unset", "coord.fsync"]);
    repository
}
