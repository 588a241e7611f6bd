//! Real hook managers, from their registries: the instructions of `install` are followed literally,
//! and git then calls us through them. And Claude Code's own check of the plugin.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::content::Content;
use crate::support::contract::exit;
use crate::support::tools::{Tools, tools};
use crate::support::{Output, Repo};

/// A repository with a remote and the programs of others.
struct Managed {
    repo: Repo,
    tools: &'static Tools,
}

impl Managed {
    fn new(tools: &'static Tools) -> Managed {
        let repo = Repo::with(&Content::clean());
        fs::remove_dir_all(repo.git_dir().join("hooks")).unwrap();
        repo.git(["init", "--quiet", "--bare", "--template=", "../remote.git"]);
        repo.git(["remote", "add", "origin", "../remote.git"]);
        repo.git(["push", "--quiet", "origin", "main"]);
        Managed { repo, tools }
    }

    /// Runs a program as `agent`. Its output is not checked.
    fn run(&self, agent: &str, words: &[&str]) -> Output {
        let script = ["-c", "exec \"$@\" 2>&1", "sh"];
        let call = self.repo.call(agent).program("sh").args(script).args(words);
        call.env("PATH", self.tools.path()).run_unproven()
    }

    /// Returns the output of `install`, as lines.
    fn install(&self) -> Vec<String> {
        let said = self.run("", &["git", "coord", "install", "--agents", "none"]).done().stdout;
        said.lines().map(str::to_owned).collect()
    }

    /// Follows the instruction of a line. `put` edits the file, given its text, the place and the
    /// addition.
    fn follow(&self, lines: &[String], put: fn(&str, &str, &str) -> String) {
        for line in lines {
            let Some((_, asked)) = line.split_once("; add to '") else { continue };
            let (file, asked) = asked.split_once('\'').unwrap();
            let (under, addition) = asked.split_once(": ").unwrap();
            // The place may have a colon of its own.
            let (under, addition) = match under.strip_prefix(", under '") {
                Some(under) if !under.ends_with('\'') => {
                    let (rest, addition) = addition.split_once("': ").unwrap();
                    (format!("{under}: {rest}"), addition)
                }
                Some(under) => (under.trim_end_matches('\'').to_owned(), addition),
                None => (String::new(), addition),
            };
            let before = fs::read_to_string(self.repo.work().join(file)).unwrap_or_default();
            self.repo.write(file, &put(&before, &under, addition));
        }
    }

    /// Commits a change of a file as `agent`.
    fn commit(&self, agent: &str, path: &str) -> Output {
        self.repo.write(path, &format!("by '{agent}' at {}\n", self.repo.now()));
        self.repo.pass("1s");
        self.repo.git(["add", "--", path]);
        self.run(agent, &["git", "commit", "--quiet", "--message", "work"])
    }

    /// Tells whether git reads hooks from its configuration, so that nothing has to be added.
    #[track_caller]
    fn needs_nothing(&self, lines: &[String]) -> bool {
        let is_configured = count(lines, ": configuration") == 5;
        if is_configured {
            self.is_protected();
        }
        is_configured
    }

    /// Checks that git calls us before a commit and before a push, and obeys.
    #[track_caller]
    fn is_protected(&self) {
        let held = self.repo.reserve_id("bob", "docs/**");
        refuses(&self.commit("alice", "docs/guide.md"), "this commit changes");
        self.repo.git(["reset", "--quiet", "--hard"]);
        self.commit("alice", "src/main.rs").done();
        self.run("alice", &["git", "push", "--quiet", "origin", "main"]).done();
        // A person is warned and goes on; whoever pushes it is asked again.
        self.commit("", "docs/guide.md").done();
        let push = ["git", "push", "--quiet", "origin", "main"];
        refuses(&self.run("alice", &push), "this push changes what others hold");
        self.repo.coord("bob", ["release", &held]).done();
        self.run("alice", &push).done();
    }
}

#[track_caller]
fn refuses(output: &Output, words: &str) {
    assert_eq!(output.code, exit::NO, "{output:#?}");
    assert!(output.stdout.contains(words), "{output:#?}");
    assert!(output.stdout.contains("docs/guide.md' is held by 'bob'"), "{output:#?}");
}

/// Counts the hooks that a plan describes in these words.
fn count(lines: &[String], words: &str) -> usize {
    lines.iter().filter(|line| line.contains(words)).count()
}

#[test]
fn husky() {
    let Some(tools) = tools("husky") else { return };
    let managed = Managed::new(tools);
    managed.run("", &["husky"]).done();
    let lines = managed.install();
    if managed.needs_nothing(&lines) {
        return;
    }
    assert_eq!(count(&lines, "core.hooksPath is '.husky/_'; add to"), 5, "{lines:#?}");
    assert!(!managed.repo.git_dir().join("hooks").exists(), "nothing was written");
    managed.follow(&lines, |before, _, addition| format!("{before}{addition}\n"));
    assert_eq!(count(&managed.install(), "called from '.husky/_'"), 5);
    managed.is_protected();
    managed.run("", &["husky"]).done();
    managed.is_protected();
}

/// Adds a job to a hook, and creates the hook if it does not exist.
fn put_job(before: &str, under: &str, addition: &str) -> String {
    let hook = under.strip_prefix("jobs' of '").unwrap();
    let head = format!("{hook}:\n  jobs:\n");
    if before.contains(&head) {
        return before.replace(&head, &format!("{head}    - {addition}\n"));
    }
    format!("{before}{head}    - {addition}\n")
}

const LEFTHOOK: &str =
    "pre-commit:\n  jobs:\n    - run: echo lint\npre-push:\n  jobs:\n    - run: echo test\n";

#[test]
fn lefthook() {
    let Some(tools) = tools("lefthook") else { return };
    let managed = Managed::new(tools);
    managed.repo.write("lefthook.yml", LEFTHOOK);
    managed.run("", &["lefthook", "install"]).done();
    let lines = managed.install();
    if managed.needs_nothing(&lines) {
        return;
    }
    assert_eq!(count(&lines, "its manager makes that file anew; add to"), 2, "{lines:#?}");
    managed.is_protected();
    managed.follow(&lines, put_job);
    managed.run("", &["lefthook", "install", "--force"]).done();
    assert_eq!(count(&managed.install(), "called by the manager that made"), 2);
    managed.is_protected();
}

#[test]
fn lefthook_in_a_directory_of_the_users() {
    let Some(tools) = tools("lefthook with core.hooksPath") else { return };
    let managed = Managed::new(tools);
    managed.repo.git(["config", "core.hooksPath", ".hooks"]);
    managed.repo.write("lefthook.yml", LEFTHOOK);
    let lines = managed.install();
    if managed.needs_nothing(&lines) {
        return;
    }
    assert_eq!(count(&lines, "core.hooksPath is '.hooks'; add to 'lefthook.yml'"), 5);
    managed.follow(&lines, put_job);
    managed.run("", &["lefthook", "install", "--force"]).done();
    assert_eq!(count(&managed.install(), "called from '.hooks'"), 5);
    managed.is_protected();
}

/// pre-commit itself refuses to install where `core.hooksPath` is set.
#[test]
fn pre_commit() {
    let Some(tools) = tools("pre-commit") else { return };
    let managed = Managed::new(tools);
    let lint = "{ id: lint, name: lint, entry: echo lint, language: system, always_run: true }";
    let config = format!(
        "default_install_hook_types: [pre-commit, pre-push]\nrepos:\n- repo: local\n  hooks:\n  \
         - {lint}\n"
    );
    managed.repo.write(".pre-commit-config.yaml", &config);
    managed.run("", &["pre-commit", "install"]).done();
    let lines = managed.install();
    if managed.needs_nothing(&lines) {
        return;
    }
    assert_eq!(count(&lines, "its manager makes that file anew; add to"), 2, "{lines:#?}");
    managed.is_protected();
    managed.follow(&lines, |before, under, addition| {
        assert_eq!(under, "repo: local");
        format!("{before}  - {addition}\n")
    });
    managed.run("", &["pre-commit", "install"]).done();
    assert_eq!(count(&managed.install(), "called by the manager that made"), 2);
    managed.is_protected();
}

/// The repository is a plugin in the eyes of Claude Code itself, which needs no login for that.
#[test]
fn claude_plugin_validate() {
    let Some(tools) = tools("'claude plugin validate'") else { return };
    let managed = Managed::new(tools);
    let claude = tools.claude();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let hooks: Value =
        serde_json::from_slice(&fs::read(root.join("hooks/hooks.json")).unwrap()).unwrap();
    assert!(hooks["hooks"].is_object());
    for path in ["", ".claude-plugin/plugin.json", ".claude-plugin/marketplace.json"] {
        let path = root.join(path);
        let words = [claude.to_str().unwrap(), "plugin", "validate", path.to_str().unwrap()];
        let output = managed.run("", &words).done();
        assert!(output.stdout.contains("Validation passed"), "{output:#?}");
        // The catalog of plugins wants an icon, which the repository has none of.
        let is_icon = output.stdout.contains("(ICON_MISSING)");
        let of_icon = if is_icon { "Found 1 plugin directory warning" } else { "" };
        assert!(!output.stdout.replacen(of_icon, "", 1).contains("warning"), "{output:#?}");
    }
}
