//! Processes, not threads, that start at the same moment (7/CALLER-ENV, 6.1).

use std::io::{Read, pipe};

use tempfile::NamedTempFile;

use super::call::Call;
use super::output::Output;
use super::repo::Repo;
use super::untouched::Untouched;

/// Reports that it is ready, waits until the other end of its stdin is closed, and runs the call.
const AT_THE_LINE: &str = "echo ready; read -r _; exec \"$@\" <\"$RACE_INPUT\"";
const READY: &[u8] = b"ready\n";

/// Returns how often a race is run: `GIT_COORD_TEST_ROUNDS`, or 50 if it is not set.
pub(crate) fn rounds() -> usize {
    let set = std::env::var("GIT_COORD_TEST_ROUNDS").ok();
    set.map_or(50, |text| text.parse().expect("GIT_COORD_TEST_ROUNDS is a number"))
}

/// Makes all calls at once, and checks once that they touched nothing of the user's.
#[track_caller]
pub(crate) fn race(repo: &Repo, calls: &[Call]) -> Vec<Output> {
    let before = Untouched::of(repo.world());
    let outputs = race_unproven(calls);
    before.assert_still_so("a race");
    outputs
}

/// Makes all calls at once, as part of a larger check that nothing of the user's was touched.
#[track_caller]
pub(crate) fn race_unproven(calls: &[Call]) -> Vec<Output> {
    let (line, gun) = pipe().expect("a pipe can be made");
    let inputs: Vec<NamedTempFile> = calls.iter().map(Call::input_file).collect();
    let mut children = Vec::new();
    for (call, input) in calls.iter().zip(&inputs) {
        let mut command = call.command_in_shell(AT_THE_LINE);
        command.env("RACE_INPUT", input.path());
        command.stdin(line.try_clone().expect("a pipe's end can be cloned"));
        children.push(command.spawn().expect("a shell can be started"));
    }
    for child in &mut children {
        let stdout = child.stdout.as_mut().expect("stdout is piped");
        let mut word = vec![0; READY.len()];
        stdout.read_exact(&mut word).expect("a runner says that it is ready");
        assert_eq!(word, READY);
    }
    drop(gun);
    calls.iter().zip(children).map(|(call, child)| call.finish(child)).collect()
}

#[test]
fn runners_answer_in_their_order() {
    let repo = Repo::new();
    let runner = |number: usize| repo.call("").program("echo").args([number.to_string()]);
    let outputs = race(&repo, &(0..4).map(runner).collect::<Vec<_>>());
    let said: Vec<&str> = outputs.iter().map(|output| output.stdout.trim()).collect();
    assert_eq!(said, ["0", "1", "2", "3"]);
}
