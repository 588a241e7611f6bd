//! `status`: one screen, and the answer of a bare `git coord`.

use crate::support::Repo;

#[test]
fn it_shows_what_is_mine() {
    let repo = Repo::new();
    repo.reserve_with("alice", &["src/**", "--reason", "handlers"]);
    repo.coord("alice", ["status"]).done().says("src/**");
    repo.json("alice", ["status"]);
}

#[test]
fn a_bare_call_is_status() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let bare = repo.coord("alice", [""; 0]).done();
    assert_eq!(bare.stdout, repo.coord("alice", ["status"]).done().stdout);
    let by_git = repo.git_call(["coord"]).env("GIT_COORD_AGENT", "alice").run().done();
    assert_eq!(bare.stdout, by_git.stdout);
}

#[test]
fn it_only_reads() {
    let repo = Repo::new();
    repo.coord("alice", ["status"]).done();
    assert_eq!(repo.tip(), "");
    repo.reserve("alice", "src/**");
    let tip = repo.tip();
    repo.pass("16m");
    repo.coord("alice", ["status"]).done();
    assert_eq!(repo.tip(), tip);
}

/// What is known of the project is told where it does not hold any more, and only then.
#[test]
fn a_stale_cache_is_told() {
    let repo = Repo::new();
    let has_domains = |text: &str| text.contains("What is known of this project");
    repo.write("package.json", r#"{"dependencies":{"express":"^4"}}"#);
    repo.write("routes/a.js", "");
    assert!(!has_domains(&repo.coord("ada", ["status"]).done().stdout));
    repo.coord("ada", ["domain", "detect"]).done();
    assert!(!has_domains(&repo.coord("ada", ["status"]).done().stdout));
    assert_eq!(repo.json("ada", ["status"])["domains"]["stale"], false);
    repo.write("package.json", "{}");
    let stale = repo.coord("ada", ["status"]).done();
    stale.says("(web-api) is stale: git coord domain detect");
    assert_eq!(repo.json("ada", ["status"])["domains"]["stale"], true);
    repo.git(["update-ref", "refs/coord/domains", "HEAD"]);
    repo.coord("ada", ["status"]).done().says("is damaged").says("git coord domain detect");
}
