//! `completions`: under the names that git's own completion looks for.

use crate::support::Repo;
use crate::support::contract::exit;

#[test]
fn each_shell_finds_its_function() {
    let repo = Repo::new();
    for (shell, name) in [("bash", "_git_coord"), ("zsh", "_git-coord"), ("fish", "coord")] {
        let script = repo.coord("", ["completions", shell]).done();
        script.says(name).says("reserve");
    }
}

#[test]
fn bash_accepts_its_script() {
    let repo = Repo::new();
    let script = repo.coord("", ["completions", "bash"]).done().stdout;
    assert_ne!(script, "");
    let file = repo.elsewhere().join("git-coord.bash");
    std::fs::write(&file, script).unwrap();
    repo.call("").program("bash").args(["-n"]).args([&file]).run().done();
}

#[test]
fn it_needs_no_repository_and_knows_its_shells() {
    let repo = Repo::new();
    repo.call("").dir(repo.elsewhere()).args(["completions", "zsh"]).run().done();
    repo.coord("", ["completions", "nonsense"]).exits(exit::USAGE);
}
