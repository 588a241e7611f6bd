//! A hold covers what an edit would change: through links, in other repositories, in deep
//! directories.

use std::os::unix::fs::symlink;

use super::*;
use crate::support::contract::{RESERVATIONS_REF, refusal};
use crate::support::texts;

fn linked() -> Repo {
    let repo = enabled();
    symlink("src", repo.work().join("link")).unwrap();
    repo
}

/// 8/NO-HARM: who holds a path through a link holds what is edited through it, however it is named.
#[test]
fn a_hold_through_a_link_is_on_what_it_leads_to() {
    let repo = linked();
    let output = repo.coord("alice", ["reserve", "link/main.rs"]).done();
    output.says("'link/main.rs' leads to 'src/main.rs' through a symbolic link");
    assert_eq!(texts(&repo.holds().into(), "pattern"), ["src/main.rs"]);
    let session = Session::new(&repo, ONE);
    session.is_refused("link/main.rs");
    session.is_refused("src/main.rs");
    for path in ["link/main.rs", "src/main.rs", "link/../src/main.rs", "link"] {
        repo.coord("bob", ["check", path]).exits(exit::NO);
    }
    let asked = ["ask", "link/main.rs", "--reason", "r"];
    assert!(repo.coord_json("bob", asked).done().stdout.contains("\"alice\""));
    assert_eq!(repo.list(&["--path", "link/main.rs"]).len(), 1);
    assert_eq!(repo.json("alice", ["release", "--path", "link/main.rs"])["released"], 1);
    session.edits("link/main.rs");
    repo.coord_json("bob", ["reserve", "link"]).refused(refusal::HELD);
}

/// The names before the first wildcard are followed, and what is not there yet is where its
/// directory leads.
#[test]
fn patterns_and_new_files_lead_through_links() {
    let repo = linked();
    for (spec, meant) in [("link/*.rs", "src/*.rs"), ("link/new/x.rs", "src/new/x.rs")] {
        assert_eq!(repo.reserve("alice", spec)["pattern"], meant);
        repo.coord("alice", ["release", "--path", spec]).done();
    }
    assert_eq!(repo.holds().len(), 0);
    let within = repo.call("alice").dir(repo.work().join("docs")).args(["reserve", ":/link/a"]);
    within.run().done();
    assert_eq!(texts(&repo.holds().into(), "pattern"), ["src/a"]);
}

/// An edit goes through a link and a commit changes the link itself: who names it holds both.
#[test]
fn a_link_is_held_with_what_it_leads_to() {
    let repo = linked();
    symlink("src/main.rs", repo.work().join("main.rs")).unwrap();
    for spec in ["main.rs".to_owned(), repo.work().join("main.rs").display().to_string()] {
        let held = repo.json("alice", ["reserve", &spec]);
        assert_eq!(texts(&held["granted"], "pattern"), ["src/main.rs", "main.rs"]);
        Session::new(&repo, ONE).is_refused("main.rs");
        repo.git(["add", "main.rs"]);
        let commit = repo.call("bob").args(["hook", "pre-commit"]).run();
        commit.exits(exit::NO).says("'main.rs'");
        repo.git(["rm", "--quiet", "--cached", "main.rs"]);
        assert_eq!(repo.json("alice", ["release", "--path", &spec])["released"], 2);
    }
}

/// 8/NO-HARM: an edit is followed when it is made, so a link that came after the hold is no way
/// around it, and one that leads to nothing yet leads to what the edit would make.
#[test]
fn a_link_that_is_newer_than_the_hold_leads_to_it() {
    let repo = enabled();
    repo.reserve("alice", "src/main.rs");
    repo.reserve("alice", "src/new.rs");
    repo.reserve("alice", "later/**");
    for (target, link) in [
        ("src", "alias"),
        ("src/main.rs", "file.rs"),
        ("src/new.rs", "new.rs"),
        ("../alias/new.rs", "docs/new.rs"),
        ("new.rs", "again.rs"),
        ("later", "soon"),
    ] {
        symlink(target, repo.work().join(link)).unwrap();
    }
    let session = Session::new(&repo, ONE);
    for path in [
        "alias/main.rs",
        "alias/new.rs",
        "file.rs",
        "new.rs",
        "docs/new.rs",
        "again.rs",
        "soon/deep/x",
    ] {
        assert!(session.is_refused(path).contains("alice"), "{path}");
    }
    session.edits("alias/lib.rs");
    assert_eq!(repo.list(&["--holder", ONE_NAME])[0]["pattern"], "src/lib.rs");
}

/// The other way round: who reserves through a link to nothing holds what an edit would make.
#[test]
fn a_link_to_nothing_holds_what_an_edit_would_make() {
    let repo = enabled();
    symlink("src/new.rs", repo.work().join("alias.rs")).unwrap();
    symlink("later", repo.work().join("soon")).unwrap();
    let held = repo.json("alice", ["reserve", "alias.rs", "soon/**"]);
    assert_eq!(texts(&held["granted"], "pattern"), ["src/new.rs", "alias.rs", "later/**"]);
    let session = Session::new(&repo, ONE);
    for path in ["src/new.rs", "alias.rs", "later/x", "soon/x"] {
        assert!(session.is_refused(path).contains("alice"), "{path}");
    }
}

/// What was held under its own name before a link stood there can still be let go of.
#[test]
fn what_was_held_before_the_link_is_let_go_of_by_name() {
    let repo = enabled();
    repo.reserve("alice", "later/main.rs");
    symlink("src", repo.work().join("later")).unwrap();
    assert_eq!(repo.list(&["--path", "later/main.rs"]).len(), 1);
    assert_eq!(repo.json("alice", ["release", "--path", "later/main.rs"])["released"], 1);
}

/// A link that leads out of the work tree holds nothing there, and a circle holds nothing at all.
#[test]
fn what_cannot_be_held_is_refused_with_where_it_leads() {
    let repo = enabled();
    symlink(repo.elsewhere(), repo.work().join("out")).unwrap();
    symlink("round", repo.work().join("round")).unwrap();
    let elsewhere = repo.elsewhere().canonicalize().unwrap();
    for command in ["reserve", "check"] {
        let outside = repo.coord("alice", [command, "out/x.rs"]).exits(exit::USAGE);
        outside.says(&format!("leads to '{}/x.rs', outside the work tree", elsewhere.display()));
        let circle = repo.coord("alice", [command, "round/x.rs"]).exits(exit::USAGE);
        circle.says("the symbolic link 'round' leads to itself");
    }
    assert_eq!(repo.tip(), "");
    let own = repo.coord("alice", ["reserve", "out"]).done();
    own.says("only the link itself is meant");
    assert_eq!(texts(&repo.holds().into(), "pattern"), ["out"]);
}

/// 8/NO-HARM: what belongs to a repository inside is asked for there; a hold on its directory says
/// what it does not keep.
#[test]
fn what_is_in_another_repository_is_asked_for_there() {
    let repo = enabled();
    repo.git(["clone", "--quiet", ".", "../library"]);
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library"];
    repo.git([add.as_slice(), &["vendor/library"]].concat());
    repo.git(["worktree", "add", "--quiet", "-b", "side", "trees/side"]);
    symlink("vendor/library", repo.work().join("lib")).unwrap();
    for (path, top) in [
        ("vendor/library/src/main.rs", "vendor/library"),
        ("lib/src/main.rs", "vendor/library"),
        ("trees/side/src/main.rs", "trees/side"),
    ] {
        for command in ["reserve", "check"] {
            let no = repo.coord("alice", [command, path]).exits(exit::USAGE);
            let there = format!("git -C {top} coord {command} -- src/main.rs");
            no.says(&format!("belongs to another repository, at '{top}'")).says(&there);
        }
    }
    let words = ["with", "vendor/library/*.rs", "--", "true"];
    repo.coord("alice", words).exits(exit::USAGE);
    assert_eq!(repo.tip(), "");
    for spec in ["vendor", "vendor/library", "**"] {
        let held = repo.coord("alice", ["reserve", spec]).done();
        held.says("'vendor/library' is another repository: edits in it are judged by its own");
        held.says("git -C vendor/library coord reserve .");
        repo.coord("alice", ["release", "--mine"]).done();
    }
    let other = repo.coord("alice", ["reserve", "src"]).done();
    assert_eq!(other.stderr, "");
    let deep = repo.call("alice").dir(repo.work().join("src"));
    let no = deep.args(["reserve", ":/vendor/library/x"]).run().exits(exit::USAGE);
    no.says(&format!(
        "git -C {}/vendor/library coord",
        repo.work().canonicalize().unwrap().display()
    ));
}

/// 8/NO-HARM: a path that is too deep to be held is held with the lowest directory that is not, for
/// the edit as for the commit.
#[test]
fn an_edit_too_deep_to_be_held_takes_a_directory_above() {
    let repo = enabled();
    let deep = |first: &str| format!("{first}/{}x", "a/".repeat(60));
    repo.reserve("alice", "held");
    let session = Session::new(&repo, ONE);
    session.is_refused(&deep("held"));
    session.edits(&deep("free"));
    Session::new(&repo, OTHER).is_refused(&deep("free"));
    session.edits(&deep("free"));
    let held = repo.list(&["--path", "free"]);
    assert_eq!(held[0]["pattern"].as_str().unwrap().split('/').count(), 48);
}

/// 1/PLACE: the main worktrees of two clones are two worktrees.
#[test]
fn another_clone_is_another_worktree() {
    let repo = enabled();
    let clone = repo.world().join("clone");
    repo.git(["clone", "--quiet", ".", "../clone"]);
    let here = Session::new(&repo, ONE);
    let there = Session::new(&repo, OTHER).standing_in(&clone);
    let git = |args: &[&str]| repo.git_call(args).dir(&clone).run_unproven().done();
    git(&["config", "coord.enabled", "true"]);
    there.edits("docs/guide.md");
    here.edits("src/main.rs");
    git(&["fetch", "--quiet", "origin", &format!("+{RESERVATIONS_REF}:{RESERVATIONS_REF}")]);
    let told = context(&there.edit("src/main.rs"), "PreToolUse");
    assert!(told.contains("another worktree") && told.contains(ONE_NAME), "{told}");
    Session::new(&repo, OTHER).is_refused("src/main.rs");
}
