//! Configuration is read as git reads it: every case is compared with `git config --get`.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A home, a repository and a place for more files.
struct World {
    directory: tempfile::TempDir,
}

impl World {
    fn new() -> World {
        let world = World { directory: tempfile::tempdir().expect("a directory") };
        fs::create_dir(world.path().join("home")).expect("created");
        world.git(&["init", "-q", "repo"], world.path());
        world
    }

    fn path(&self) -> &Path {
        self.directory.path()
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.path().join(name);
        fs::create_dir_all(file.parent().expect("a directory")).expect("created");
        fs::write(file, text).expect("written");
    }

    fn command(&self, program: &str, at: &Path) -> Command {
        let mut command = Command::new(program);
        command.current_dir(at).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", self.path().join("home")).env("GIT_CONFIG_NOSYSTEM", "1");
        command
    }

    fn git(&self, arguments: &[&str], at: &Path) {
        let status = self.command("git", at).args(arguments).status();
        assert!(status.expect("git starts").success(), "{arguments:?}");
    }

    /// Returns the agent's name according to git and according to the program, in `repo`.
    fn agents(&self, at: &str, set: impl Fn(&mut Command)) -> (String, String) {
        let at = self.path().join(at);
        let mut git = self.command("git", &at);
        git.args(["config", "--get", "coord.agent"]);
        set(&mut git);
        let git = git.output().expect("git starts").stdout;
        let mut ours = self.command(env!("CARGO_BIN_EXE_git-coord"), &at);
        ours.args(["whoami", "--json"]);
        set(&mut ours);
        let output = ours.output().expect("the program starts");
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let configured = answer["source"] == "coord.agent";
        let name = if configured { answer["agent"].as_str().unwrap_or_default() } else { "" };
        (String::from_utf8_lossy(&git).trim_end().to_owned(), name.to_owned())
    }

    fn agree(&self, expected: &str, at: &str, set: impl Fn(&mut Command)) {
        assert_eq!(self.agents(at, set), (expected.to_owned(), expected.to_owned()));
    }
}

fn agent(name: &str) -> String {
    format!("[coord]\n\tagent = {name}\n")
}

#[test]
fn files_win_in_gits_order() {
    let world = World::new();
    let plain = |_: &mut Command| {};
    world.agree("", "repo", plain);
    world.write("home/.config/git/config", &agent("xdg"));
    world.agree("xdg", "repo", plain);
    world.agree("xdg", "home", plain);
    world.write("home/.gitconfig", &agent("home"));
    world.agree("home", "repo", plain);
    world.agree("home", "home", plain);
    world.write("moved", &agent("moved"));
    let moved = world.path().join("moved");
    for at in ["repo", "home"] {
        world.agree("moved", at, |command| {
            command.env("GIT_CONFIG_GLOBAL", &moved);
        });
        world.agree("", at, |command| {
            command.env("GIT_CONFIG_GLOBAL", "/dev/null");
        });
        world.agree("moved", at, |command| {
            command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", &moved);
            command.env("GIT_CONFIG_NOSYSTEM", "0");
        });
    }
    world.git(&["config", "coord.agent", "local"], &world.path().join("repo"));
    world.agree("local", "repo", plain);
    world.agree("home", "home", plain);
}

#[test]
fn includes_are_followed() {
    let world = World::new();
    world.write("home/plain", &agent("included"));
    world.write("home/.gitconfig", "[include]\n\tpath = plain\n");
    world.agree("included", "repo", |_| {});
    let condition = format!("[includeIf \"gitdir:{}/\"]\n\tpath = here\n", world.path().display());
    world.write("home/here", &agent("here"));
    world.write("home/.gitconfig", &condition);
    world.agree("here", "repo", |_| {});
}

#[test]
fn the_environment_wins_over_files() {
    let world = World::new();
    world.git(&["config", "coord.agent", "local"], &world.path().join("repo"));
    let count = |command: &mut Command| {
        command.env("GIT_CONFIG_COUNT", "1");
        command.env("GIT_CONFIG_KEY_0", "Coord.Agent").env("GIT_CONFIG_VALUE_0", "counted");
    };
    for at in ["repo", "home"] {
        world.agree("counted", at, count);
        for parameters in
            ["'coord.agent=given'", "'coord.AGENT'='given'", "'a.b' 'coord.agent'='given'"]
        {
            world.agree("given", at, |command| {
                count(command);
                command.env("GIT_CONFIG_PARAMETERS", parameters);
            });
        }
    }
}

#[test]
fn worktrees_and_git_dir_are_honoured() {
    let world = World::new();
    let repo = world.path().join("repo");
    let identity = ["-c", "user.name=a", "-c", "user.email=a@b"];
    world.git(&[&identity[..], &["commit", "-q", "--allow-empty", "-m", "x"]].concat(), &repo);
    world.git(&["worktree", "add", "-q", "../tree"], &repo);
    world.git(&["config", "extensions.worktreeConfig", "true"], &repo);
    world.git(&["config", "coord.agent", "local"], &repo);
    world.git(&["config", "--worktree", "coord.agent", "tree"], &world.path().join("tree"));
    world.agree("tree", "tree", |_| {});
    world.agree("local", "repo", |_| {});
    world.agree("local", "home", |command| {
        command.env("GIT_DIR", repo.join(".git"));
    });
}

#[test]
fn repositories_that_libgit2_does_not_know_have_a_configuration_too() {
    let world = World::new();
    world.git(&["init", "-q", "--object-format=sha256", "other"], world.path());
    world.git(&["config", "coord.agent", "other"], &world.path().join("other"));
    world.agree("other", "other", |_| {});
}

#[test]
fn a_bad_value_names_its_key_and_exits_with_128() {
    let world = World::new();
    let mut ours = world.command(env!("CARGO_BIN_EXE_git-coord"), &world.path().join("repo"));
    ours.arg("whoami").env("GIT_CONFIG_PARAMETERS", "'coord.ttl=25h'");
    let output = ours.output().expect("the program starts");
    assert_eq!(output.status.code(), Some(128));
    let message = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        message.contains("'25h' for config key 'coord.ttl': must be from 1s to 24h"),
        "{message}"
    );
    assert!(message.contains("git config --show-origin --get-all coord.ttl"), "{message}");
}
