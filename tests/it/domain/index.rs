//! `domain index`: the built-in one, and the changes of a repository to it.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::Repo;
use crate::support::contract::exit;

const QUANTUM: &str = "[[domain]]\nname = \"quantum\"\nfiles = [\"*.qasm\"]\n";

fn names(repo: &Repo) -> Vec<String> {
    let answer = repo.json("ada", ["domain", "index"]);
    let domains = answer["domains"].as_array().unwrap();
    domains.iter().map(|domain| domain["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_shipped_index_is_shown() {
    let repo = Repo::new();
    let names = names(&repo);
    assert_eq!(names.len(), 11);
    for name in ["game-simulation", "web-api", "claude-code-plugin", "library-sdk"] {
        assert!(names.iter().any(|found| found == name), "{name}");
    }
    repo.coord("ada", ["domain", "index", "tui-app"]).done().says("ratatui");
    repo.coord("ada", ["domain", "index", "nonsense"]).exits(exit::NOTHING);
    repo.coord("ada", ["domain", "index", "No Name"]).exits(exit::USAGE);
}

/// 2/P2-1: a signal of the repository changes what is looked at, and the list says so.
#[test]
fn a_repository_extends_or_replaces_it() {
    let repo = Repo::new();
    let shipped = repo.json("ada", ["domain", "index"])["list"].clone();
    repo.write("own/index.toml", QUANTUM);
    repo.git(["config", "coord.domainIndex", "own/index.toml"]);
    assert_eq!(names(&repo).len(), 12);
    assert_ne!(repo.json("ada", ["domain", "index"])["list"], shipped);
    repo.write("own/index.toml", &format!("replace = true\n{QUANTUM}"));
    assert_eq!(names(&repo), ["quantum"]);
    // It is read from the tree that is looked at.
    repo.git(["add", "own"]);
    repo.write("own/index.toml", QUANTUM);
    let staged = repo.json("ada", ["domain", "index", "--from", "index"]);
    assert_eq!(staged["domains"].as_array().unwrap().len(), 1);
    repo.coord("ada", ["domain", "index", "--from", "head"]).exits(exit::FAILURE);
}

/// 7/SYMLINK: nothing of a file outside is read or shown, and what is no file is not waited for.
#[test]
fn an_index_is_not_read_through_a_link() {
    let repo = Repo::new();
    let outside = repo.elsewhere().join("secret.toml");
    fs::write(&outside, "a-secret of somebody's\n").unwrap();
    symlink(&outside, repo.work().join("linked.toml")).unwrap();
    symlink(repo.elsewhere(), repo.work().join("away")).unwrap();
    fs::create_dir(repo.work().join("directory.toml")).unwrap();
    repo.call("").program("mkfifo").args(["pipe.toml"]).run_unproven().done();
    for path in ["linked.toml", "away/secret.toml", "directory.toml", "pipe.toml"] {
        let call = repo.call("ada").config("coord.domainIndex", path).args(["domain", "index"]);
        // Unproven: the proof would wait for the pipe.
        let output = call.run_unproven().exits(exit::FAILURE);
        output.says(path).says("no file");
        assert!(!output.stderr.contains("a-secret"), "{output:#?}");
    }
}

/// A part of an index would be another index.
#[test]
fn an_index_that_is_too_long_is_refused() {
    let repo = Repo::new();
    repo.write("own.toml", &format!("{QUANTUM}{}", "# more\n".repeat(40_000)));
    repo.git(["config", "coord.domainIndex", "own.toml"]);
    repo.coord("ada", ["domain", "detect"]).exits(exit::FAILURE).says("'own.toml' is longer than");
}

#[test]
fn an_index_that_cannot_be_used_is_named() {
    let repo = Repo::new();
    repo.git(["config", "coord.domainIndex", "own/index.toml"]);
    repo.coord("ada", ["domain", "index"]).exits(exit::FAILURE).says("own/index.toml");
    repo.write("own/index.toml", "[[domain]]\nname = \"x\"\nfile = []\n");
    repo.coord("ada", ["domain", "index"]).exits(exit::FAILURE).says("unknown field");
    for outside in ["../x", "/etc/passwd", ".git/config", "a/../../b", ".GIT/x"] {
        repo.git(["config", "coord.domainIndex", outside]);
        repo.coord("ada", ["domain", "index"]).exits(exit::FAILURE).says("coord.domainIndex");
    }
}
