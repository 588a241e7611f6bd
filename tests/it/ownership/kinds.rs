//! Every kind of file and of change is owned alike.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use super::*;

/// A change of a file.
type Change<'c> = &'c dyn Fn(&Path);

/// 8/SWEEP: new, deleted, binary and oddly named files, links, a mode, a long file.
#[test]
fn every_kind_of_change_is_owned() {
    let long = "line\n".repeat(400_000);
    let changes: [(&str, Change<'_>); 8] = [
        ("new/file.txt", &|file| {
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, "new\n").unwrap();
        }),
        ("docs/guide.md", &|file| fs::remove_file(file).unwrap()),
        ("image.bin", &|file| fs::write(file, [0, 255, 10, 0, 13, 10]).unwrap()),
        ("odd \"name\" *?[ä].txt", &|file| fs::write(file, "odd\n").unwrap()),
        (":(top)x", &|file| fs::write(file, "odd\n").unwrap()),
        ("src/main.rs", &|file| {
            fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
        }),
        ("link", &|file| symlink("README.md", file).unwrap()),
        ("long.txt", &|file| fs::write(file, &long).unwrap()),
    ];
    for (path, change) in changes {
        let repo = hooked();
        if path == "link" {
            // A link is edited by its own name only while it is none.
            edits(&repo, ALICE, path, "file\n");
            fs::remove_file(repo.work().join(path)).unwrap();
            change(&repo.work().join(path));
        } else {
            edits_by(&repo, ALICE, path, change);
        }
        stops(&repo, ALICE);
        edits(&repo, BOB, "README.md", "bob\n");
        repo.git(["add", "--all"]);
        commits(&repo, BOB, &[]).exits(exit::NO).says(&format!("was changed by {ALICE}"));
        let owned: Vec<(String, Vec<String>)> = owners(&repo);
        assert_eq!(owned.len(), 2, "{path}: {owned:?}");
        repo.json(BOB, ["adopt", "--from", ALICE, "--reason", "done"]);
        commits(&repo, BOB, &[]).done();
        assert_eq!(owners(&repo), [], "{path}");
        let notes = repo.git_dir().join("coord/notes");
        assert_eq!(fs::read_dir(notes).unwrap().count(), 0, "{path}");
    }
}

/// A rename is a change of two paths.
#[test]
fn a_rename_is_owned_on_both_sides() {
    let repo = hooked();
    edits_by(&repo, ALICE, "docs/guide.md", |file| fs::remove_file(file).unwrap());
    edits(&repo, ALICE, "docs/manual.md", "a guide\n");
    stops(&repo, ALICE);
    repo.git(["add", "--all"]);
    let output = sweeps(commits(&repo, BOB, &[]), "docs/guide.md", ALICE);
    output.says("'docs/manual.md' was changed by");
    commits(&repo, ALICE, &[]).done();
    assert_eq!(owners(&repo), []);
}

/// Where git converts line ends, a committed file is clean though its bytes differ.
#[test]
fn a_filter_of_git_makes_no_change() {
    let repo = hooked();
    repo.git(["config", "core.autocrlf", "true"]);
    edits(&repo, ALICE, "docs/guide.md", "alice\r\n");
    stops(&repo, ALICE);
    sweeps(commits(&repo, BOB, &["--all"]), "docs/guide.md", ALICE);
    commits(&repo, ALICE, &["--all"]).done();
    assert_eq!(owners(&repo), []);
    edits(&repo, BOB, "docs/guide.md", "alice\r\nbob\r\n");
    commits(&repo, BOB, &["--all"]).done();
}

/// An edit that was allowed and never made owns nothing. A file that was written after the edit was
/// allowed may be the agent's, killed before it could report.
#[test]
fn an_edit_that_was_not_made_owns_nothing() {
    let repo = hooked();
    asks(&repo, ALICE, "src/main.rs");
    stops(&repo, ALICE);
    repo.write("src/main.rs", "a person\n");
    asks(&repo, ALICE, "docs/guide.md");
    repo.pass("25h");
    commits(&repo, BOB, &["--all"]).done();
    asks(&repo, ALICE, "docs/guide.md");
    repo.write("docs/guide.md", "killed\n");
    repo.pass("25h");
    sweeps(commits(&repo, BOB, &["--all"]), "docs/guide.md", ALICE);
}

/// An edit that was made and not reported is known by the end of the turn.
#[test]
fn an_edit_that_was_not_reported_is_owned() {
    let repo = hooked();
    asks(&repo, ALICE, "src/main.rs");
    repo.write("src/main.rs", "alice\n");
    stops(&repo, ALICE);
    repo.git(["checkout", "--quiet", "--", "src/main.rs"]);
    let lost = repo.json(BOB, ["changes"])["lost"].take();
    assert_eq!(lost[0]["agent"], ALICE, "{lost:#}");
}
