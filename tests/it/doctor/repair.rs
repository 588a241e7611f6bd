//! What a repair believes: not one look, and nothing that was never published.

use std::fs;

use super::ref_file;
use crate::support::Repo;
use crate::support::contract::exit;
use crate::support::gits::gits;
use crate::support::hooks::put_script;

/// Hides the packs for as long as nobody asks git: as they are to one who has listed them before a
/// repack, and finds the new ones when it looks again.
fn hide_packs(repo: &Repo) {
    let packs = repo.git_dir().join("objects/pack");
    let hidden = repo.world().join("tmp/hidden");
    fs::rename(&packs, &hidden).unwrap();
    fs::create_dir(&packs).unwrap();
    let (packs, hidden) = (packs.display(), hidden.display());
    let real = gits()[0].program.display();
    let script = format!(
        "#!/bin/sh\n[ \"$1\" = cat-file ] && [ -d '{hidden}' ] && {{\n\
         rmdir '{packs}'; mv '{hidden}' '{packs}'; }}\nexec '{real}' \"$@\"\n"
    );
    put_script(&repo.world().join("bin/git"), &script);
}

/// 1/M4, 8/NO-HARM: what one way does not find may be there all the same. Another is asked before
/// anything is called missing.
#[test]
fn what_is_on_the_move_is_not_missing() {
    for command in [&["list"][..], &["check", "src"], &["reserve", "docs"], &["ledger", "verify"]] {
        let repo = Repo::new();
        repo.reserve("alice", "lib");
        hide_packs(&repo);
        repo.coord("bob", command.iter().copied()).done();
    }
}

/// The same for the one command that would act on it.
#[test]
fn what_is_on_the_move_is_not_repaired() {
    let repo = Repo::new();
    repo.reserve("alice", "lib");
    let tip = repo.tip();
    hide_packs(&repo);
    repo.coord("ops", ["doctor", "--repair"]).done().says("nothing to repair");
    assert_eq!(repo.tip(), tip);
}

/// A second look goes to git, and never through a program that a repository's configuration names.
#[test]
fn a_second_look_does_not_leave_the_repository() {
    let repo = Repo::new();
    repo.reserve("alice", "src");
    let sign = repo.world().join("tmp/fetched");
    let run = format!("touch '{}'; false", sign.display());
    for (key, value) in
        [("url", "."), ("promisor", "true"), ("uploadpack", run.as_str()), ("fetch", "x")]
    {
        repo.git(["config", &format!("remote.o.{key}"), value]);
    }
    fs::write(ref_file(&repo), format!("{}\n", "1234567890".repeat(4))).unwrap();
    repo.coord("bob", ["list"]).exits(exit::FAILURE).says("is missing");
    assert!(!sign.exists(), "nothing was fetched");
}
