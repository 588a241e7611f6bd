//! What a shell command has written: nobody's becomes the agent's, and another's stays the other's.

use std::path::Path;
use std::time::Duration;

use serde_json::json;

use super::*;
use crate::ownership::{ALICE, BOB, commits, edits, event, hooked, owners, stops, sweeps};

/// A shell command of an agent, as Claude Code reports it.
struct Shell<'r> {
    repo: &'r Repo,
    agent: &'r str,
    id: &'static str,
}

impl<'r> Shell<'r> {
    /// Begins a command. What was written before is older.
    #[track_caller]
    fn begins(repo: &'r Repo, agent: &'r str, id: &'static str) -> Shell<'r> {
        std::thread::sleep(Duration::from_millis(100));
        let more = json!({
            "tool_name": "Bash", "tool_use_id": id, "tool_input": { "command": "make" },
        });
        silent(&event(repo, agent, "PreToolUse", &more).run());
        Shell { repo, agent, id }
    }

    /// Ends a command as Claude Code does in the mode that tells no files.
    #[track_caller]
    fn ends(self) -> Output {
        self.reported("PostToolUse", &json!({ "tool_response": { "stdout": "" } }))
    }

    #[track_caller]
    fn fails(self) -> Output {
        self.reported("PostToolUseFailure", &json!({ "error": "Exit code 1" }))
    }

    /// Ends a command whose changed files are told.
    #[track_caller]
    fn ends_telling(self, files: &[&str]) -> Output {
        let files: Vec<_> = files.iter().map(|file| self.repo.work().join(file)).collect();
        let diff = json!({ "changedFiles": files });
        let response = json!({ "stdout": "", "bashEditDiff": diff });
        self.reported("PostToolUse", &json!({ "tool_response": response }))
    }

    fn reported(self, name: &str, more: &Value) -> Output {
        let mut fields = json!({
            "tool_name": "Bash", "tool_use_id": self.id, "tool_input": { "command": "make" },
            "duration_ms": 7,
        });
        fields.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        event(self.repo, self.agent, name, &fields).run().done()
    }
}

/// Returns the message to agent and person, which must be the same.
#[track_caller]
fn warning(output: &Output, event: &str) -> String {
    let text = context(output, event);
    assert_eq!(output.clone().json()["systemMessage"], text.as_str(), "{output:#?}");
    text
}

fn owned_by(path: &str, agents: &[&str]) -> Vec<(String, Vec<String>)> {
    vec![(path.to_owned(), agents.iter().map(|agent| (*agent).to_owned()).collect())]
}

/// 8/SHELL-WRITE, 8/FAILED-SHELL: what was nobody's becomes the agent's, is reserved for it until
/// its turn ends, and is kept from the commits of others, however the command ended.
#[test]
fn what_a_shell_writes_is_the_agents() {
    for way in ["ends", "fails", "tells"] {
        let repo = hooked();
        let shell = Shell::begins(&repo, ALICE, "t1");
        repo.write("src/main.rs", "by a shell\n");
        silent(&match way {
            "ends" => shell.ends(),
            "fails" => shell.fails(),
            _ => shell.ends_telling(&["src/main.rs"]),
        });
        assert_held(&repo, &[(ALICE, "src/main.rs")]);
        assert_eq!(owners(&repo), owned_by("src/main.rs", &[ALICE]));
        let listed = repo.json("ops", ["changes"]);
        assert_eq!(listed["changes"][0]["owners"][0]["via"], "shell");
        commits(&repo, BOB, &["--all"]).exits(exit::NO).says("is held by 'claude:alice'");
        stops(&repo, ALICE);
        assert_held(&repo, &[]);
        sweeps(commits(&repo, BOB, &["--all"]), "src/main.rs", ALICE);
        assert_eq!(commits(&repo, ALICE, &["--all"]).done().stderr, "");
        assert_eq!(owners(&repo), []);
    }
}

/// 8/FAILED-SHELL: a command that failed has ended, so its agent is not busy with it.
#[test]
fn a_command_that_failed_is_over() {
    let repo = hooked();
    let is_busy = || repo.json("ops", ["agents"]).to_string().contains("busy_since");
    let shell = Shell::begins(&repo, ALICE, "t1");
    assert!(is_busy());
    silent(&shell.fails());
    assert!(!is_busy());
    let edit = json!({ "tool_name": "Edit", "tool_use_id": "t2",
        "tool_input": { "file_path": repo.work().join("src/main.rs") } });
    silent(&event(&repo, ALICE, "PreToolUse", &edit).run());
    assert!(is_busy());
    silent(&event(&repo, ALICE, "PostToolUseFailure", &edit).run());
    assert!(!is_busy());
    stops(&repo, ALICE);
    assert_eq!((owners(&repo), held(&repo)), (Vec::new(), Vec::new()));
}

/// What was written before the command began is not its work, and neither is what is ignored.
#[test]
fn what_is_older_than_the_command_stays_nobodys() {
    let repo = hooked();
    repo.write(".git/info/exclude", "target\n");
    repo.write("src/main.rs", "by a person\n");
    let shell = Shell::begins(&repo, ALICE, "t1");
    repo.write("target/debug", "ignored\n");
    repo.write("new.rs", "new\n");
    silent(&shell.ends());
    assert_held(&repo, &[(ALICE, "new.rs")]);
    let listed = [owned_by("new.rs", &[ALICE]), owned_by("src/main.rs", &[])].concat();
    assert_eq!(owners(&repo), listed);
    commits(&repo, BOB, &["src/main.rs"]).done();
}

/// New files, deletions, moves and modes count.
#[test]
fn every_kind_of_change_counts() {
    let repo = hooked();
    let shell = Shell::begins(&repo, ALICE, "t1");
    let at = |path: &str| repo.work().join(path);
    std::fs::remove_file(at("docs/guide.md")).unwrap();
    std::fs::rename(at("src/main.rs"), at("src/moved.rs")).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(at("README.md"), mode).unwrap();
    std::os::unix::fs::symlink("nowhere", at("odd $(name)")).unwrap();
    silent(&shell.ends());
    let paths = ["README.md", "docs/guide.md", "odd $(name)", "src/main.rs", "src/moved.rs"];
    assert_eq!(owners(&repo), paths.map(|path| owned_by(path, &[ALICE])).concat());
    assert_held(&repo, &paths.map(|path| (ALICE, path)));
}

/// 8/SHELL-WRITE: what another holds stays the other's: agent and person are told, also if the
/// command failed, and nothing invites to put the file back.
#[test]
fn what_another_holds_stays_the_others() {
    for fails in [false, true] {
        let repo = hooked();
        edits(&repo, ALICE, "src/main.rs", "alice\n");
        let shell = Shell::begins(&repo, BOB, "t1");
        repo.write("src/main.rs", "bob\n");
        let name = if fails { "PostToolUseFailure" } else { "PostToolUse" };
        let text = warning(&if fails { shell.fails() } else { shell.ends() }, name);
        assert!(text.contains("files that another agent holds have changed"), "{text}");
        assert!(text.contains("\"src/main.rs\": claude:alice holds"), "{text}");
        assert!(text.contains("git coord send claude:alice --subject"), "{text}");
        assert!(!text.contains("as they were") && !text.contains("git checkout"), "{text}");
        assert_held(&repo, &[(ALICE, "src/main.rs")]);
        assert_eq!(owners(&repo), owned_by("src/main.rs", &[ALICE]));
        stops(&repo, ALICE);
        commits(&repo, BOB, &["--all"]).exits(exit::NO).says("not yours to change");
    }
}

/// 8/CHECKOUT, 8/SHELL-WRITE: a file that a command has put back is as the commit has it, and its
/// owner's work is gone; that is said, whether its turn is over or not.
#[test]
fn what_a_command_has_put_back_is_said() {
    for is_over in [false, true] {
        for tells in [false, true] {
            let repo = hooked();
            edits(&repo, ALICE, "src/main.rs", "alice\n");
            if is_over {
                stops(&repo, ALICE);
            }
            let shell = Shell::begins(&repo, BOB, "t1");
            repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
            let output = if tells { shell.ends_telling(&["src/main.rs"]) } else { shell.ends() };
            let text = warning(&output, "PostToolUse");
            let heading = if is_over {
                "files with uncommitted changes of another agent have changed"
            } else {
                "files that another agent holds have changed"
            };
            assert!(text.contains(heading), "{text}");
            assert!(text.contains("its uncommitted changes are gone"), "{text}");
            let lost = repo.json("ops", ["changes"])["lost"].take();
            assert_eq!(lost[0]["agent"], ALICE, "{lost:#}");
            let shell = Shell::begins(&repo, BOB, "t2");
            silent(&shell.ends());
        }
    }
}

/// An agent that puts its own work back has lost nothing.
#[test]
fn an_own_file_that_is_put_back_is_nobodys() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    let shell = Shell::begins(&repo, ALICE, "t1");
    repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
    silent(&shell.ends());
    let listed = repo.json("ops", ["changes"]);
    assert_eq!((&listed["changes"], &listed["lost"]), (&json!([]), &json!([])));
}

/// 8/SHELL-WRITE: what a shell has generated does not stop whoever writes it after it, by a shell
/// or by an edit; of several the last one owns.
#[test]
fn the_last_writer_owns_what_is_generated() {
    let repo = hooked();
    let generate = |agent: &str, text: &str| {
        let shell = Shell::begins(&repo, agent, "t1");
        repo.write("Cargo.lock", text);
        silent(&shell.ends());
    };
    generate(ALICE, "one\n");
    generate(BOB, "two\n");
    assert_eq!(owners(&repo), owned_by("Cargo.lock", &[BOB]));
    assert_held(&repo, &[(ALICE, "Cargo.lock")]);
    repo.git(["add", "Cargo.lock"]);
    let all = json!({ "tool_name": "Bash", "tool_use_id": "t2",
        "tool_input": { "command": "git commit --all --message lock" } });
    silent(&event(&repo, BOB, "PreToolUse", &all).run());
    commits(&repo, BOB, &[]).done();
    stops(&repo, ALICE);
    generate(ALICE, "three\n");
    stops(&repo, ALICE);
    edits(&repo, BOB, "Cargo.lock", "four\n");
    assert_eq!(owners(&repo), owned_by("Cargo.lock", &[BOB]));
}

/// A command that runs beside another one takes nothing that the other has written and reported.
#[test]
fn what_another_command_has_reported_is_known() {
    let repo = hooked();
    let (one, other) = (Shell::begins(&repo, ALICE, "t1"), Shell::begins(&repo, BOB, "t2"));
    repo.write("src/main.rs", "by alice\n");
    silent(&one.ends());
    silent(&other.ends());
    assert_eq!(owners(&repo), owned_by("src/main.rs", &[ALICE]));
    assert_held(&repo, &[(ALICE, "src/main.rs")]);
}

/// Files of other repositories are no matter of this one, and a file outside of any is nobody's.
#[test]
fn files_elsewhere_are_passed_over() {
    let repo = hooked();
    let outside = repo.elsewhere().join("x");
    std::fs::write(&outside, "").unwrap();
    let shell = Shell::begins(&repo, ALICE, "t1");
    silent(&shell.ends_telling(&[outside.to_str().unwrap(), "/", "src", ".git/config"]));
    assert_held(&repo, &[]);
    assert!(Path::new(&outside).exists());
}
