//! 8/REAL-CLIENT: the real Claude Code with a scripted model on 127.0.0.1, a test for each scene of
//! `tests/clients/claude`. A payload that is piped into a hook shows what the hook does with it;
//! these show which events the client really sends, when, and what a model then reads.

use std::path::Path;
use std::process::Command;

use crate::support::env::program;
use crate::support::tools::{Tools, tools};

/// Prepares a call of the program that plays the scenes, with nothing of the machine's but `PATH`.
fn player(tools: &Tools) -> Command {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/claude/run.py");
    let mut player = Command::new(tools.python());
    player.arg(script).env_clear().env("PYTHONDONTWRITEBYTECODE", "1");
    player.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    player
}

/// Plays a scene, and fails if a promise was broken.
#[track_caller]
fn play(scene: &str) {
    let Some(tools) = tools(&format!("'{scene}' with Claude Code")) else { return };
    let home = tempfile::tempdir().unwrap();
    let mut player = player(tools);
    player.args(["--claude".as_ref(), tools.claude().as_os_str()]);
    player.args(["--git-coord".as_ref(), program().as_os_str()]);
    player.args(["--dir".as_ref(), home.path().as_os_str()]).arg(scene);
    let output = player.output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.contains("\nkept"), "a scene promises something\n{told}");
}

macro_rules! scenes {
    ($($(#[$comment:meta])* $scene:ident)+) => {
        const SCENES: &[&str] = &[$(stringify!($scene)),+];
        $($(#[$comment])* #[test] fn $scene() { play(stringify!($scene)); })+
    };
}

scenes! {
    /// 8/TURN: every way in which a turn or a session ends lets go.
    a_session
    an_interrupted_turn
    a_killed_session
    a_session_that_is_asked_to_end
    a_resumed_session
    a_forked_session
    odd_names
    several_repositories
    ask_and_answer
    told_of_a_request
    told_at_the_next_prompt
    commands_against_others
    /// 8/FAILED-SHELL, 8/SHELL-WRITE: nothing of it is overlooked.
    programs_that_write
    what_a_shell_writes
    /// 8/SHELL-WRITE, 8/SWEEP: where nobody looks at a command before it runs, the warning after it
    /// and git's hooks hold alone.
    nets_after_a_shell
    nets_between_siblings
    nets_before_a_commit
    /// 8/SIBLING: subagents are others to each other.
    siblings
    side_by_side
    one_after_the_other
    commands_that_take_all
    programs_that_take_all
    changes_after_a_turn
    /// 8/TWO-WORKTREES: an edit elsewhere opens nothing here.
    two_work_trees
    an_isolated_subagent
    a_session_with_a_work_tree
    /// 8/NO-HARM: nothing that could be turned against somebody runs unasked.
    permissions
    a_missing_program
    the_plugin
    a_linked_work_tree
    /// 8/REAL-CLIENT: the payloads that tests without the client use are those that it sends.
    kept_payloads
}

/// The table of promises names every scene.
#[test]
fn each_scene_is_in_the_table() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/claude/README.md");
    let table = std::fs::read_to_string(file).unwrap();
    for scene in SCENES {
        assert!(table.contains(&format!("`{scene}`")), "no promise of '{scene}'");
    }
}

#[test]
fn each_scene_is_played() {
    let Some(tools) = tools("the list of scenes with Claude Code") else { return };
    let listed = player(tools).arg("--list").output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    assert_eq!(listed.lines().collect::<Vec<_>>(), SCENES);
}
