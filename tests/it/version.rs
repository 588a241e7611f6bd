//! `git coord version`, and that it and help work anywhere.

use std::fs;

use crate::support::Repo;

/// Help needs no repository, and no configuration that can be read.
#[test]
fn help_and_version_work_anywhere() {
    let repo = Repo::new();
    let version = format!("git-coord {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(repo.coord("", ["version"]).done().stdout, version);
    for words in [["help", "ask"].as_slice(), &["version"]] {
        let outside = repo.call("").dir(repo.elsewhere()).args(words).run().done().stdout;
        assert_eq!(repo.coord("", words).done().stdout, outside);
    }
    fs::write(repo.work().join(".git/config"), "[broken").unwrap();
    assert_eq!(repo.coord("", ["version"]).done().stdout, version);
    assert!(repo.coord("", ["help"]).done().stdout.contains("Everyday:"));
}
