//! Messages of the suite while it runs. They bypass the capture of a passing test's output.

use std::io::Write as _;
use std::sync::Once;

use super::race::rounds;

/// The variable that enables tests with programs of others.
pub(crate) const TOOLS: &str = "GIT_COORD_TEST_TOOLS";

/// Writes a line to stderr.
pub(crate) fn say(text: &str) {
    writeln!(std::io::stderr(), "{text}").expect("stderr can be written");
}

/// Explains once why a run of all tests takes long.
pub(crate) fn say_what_takes_long() {
    static ONCE: Once = Once::new();
    let is_all = std::env::args().skip(1).all(|arg| arg.starts_with('-'));
    if is_all {
        ONCE.call_once(|| {
            let rounds = rounds();
            let tools = std::env::var_os(TOOLS).map_or("are skipped", |_| "are fetched");
            say(&format!(
                "Tests start the program itself, each in a repository of its own: all of them take \
                 many minutes on two cores.\nA race has {rounds} rounds \
                 (GIT_COORD_TEST_ROUNDS); hook managers and Claude Code {tools} ({TOOLS})."
            ));
        });
    }
}
