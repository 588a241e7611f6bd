//! Repositories that libgit2 refuses, accessed through the `git` program.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::thread;
use std::time::{Duration, Instant};

use crate::support::Repo;
use crate::support::contract::{RESERVATIONS_REF, exit};
use crate::support::hooks::put_script;
use crate::support::kind::{Hash, Kind, Place, RefFormat};

/// Creates a bare repository whose refs are not files; `None` if no git here can.
fn reftable() -> Option<Repo> {
    Repo::of(Kind { refs: RefFormat::Reftable, hash: Hash::Sha1, place: Place::Bare })
}

#[test]
fn the_reference_is_where_git_looks_for_it() {
    let Some(repo) = reftable() else { return };
    repo.reserve("alice", "src/**");
    repo.coord("bob", ["reserve", "src/x"]).exits(exit::NO);
    let log = repo.json("", ["ledger", "log", "reservations"]);
    let refs = repo.git(["for-each-ref", "--format=%(objectname)", "refs/coord"]);
    assert_eq!(log["entries"][0]["entry"], refs);
    let refs: Vec<_> = fs::read_dir(repo.git_dir().join("refs")).unwrap().collect();
    assert_eq!(refs.len(), 1, "only git's own placeholder: {refs:?}");
    repo.git(["fsck", "--strict"]);
}

/// 0/IMP-3: busy is not failed, and what is in the way is named.
#[test]
fn a_lock_on_all_refs_is_named() {
    let Some(repo) = reftable() else { return };
    repo.reserve("alice", "src/**");
    let lock = repo.git_dir().join("reftable/tables.list.lock");
    fs::write(&lock, "").unwrap();
    let busy = repo.call("bob").args(["reserve", "docs/**"]).config("coord.wait", "1s").run();
    busy.exits(exit::BUSY).says("'reftable/tables.list.lock' was there");
    repo.coord("bob", ["check", "docs/**"]).done();
    assert!(lock.exists(), "it may be somebody's who is still at work");
    fs::remove_file(&lock).unwrap();
    repo.reserve("bob", "docs/**");
}

/// A hook that hangs or refuses is not asked: nobody else's program runs while others wait.
#[test]
fn hooks_of_the_user_do_not_run() {
    let Some(repo) = reftable() else { return };
    let hook = repo.git_dir().join("hooks/reference-transaction");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    fs::write(&hook, "#!/bin/sh\nexit 1\n").unwrap();
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    repo.reserve("alice", "src/**");
}

/// libgit2 ignores extensions where the format version does, and would write a ref as a file.
#[test]
fn a_table_of_refs_without_its_extension_is_not_written_around() {
    let Some(repo) = reftable() else { return };
    repo.git(["config", "core.repositoryFormatVersion", "0"]);
    repo.coord("alice", ["reserve", "src/**"]).exits(exit::FAILURE).says("git says: ");
    assert!(!repo.git_dir().join("refs/coord").exists());
}

/// State is kept under the ledger's own name: neither a branch nor its alias is written.
#[test]
fn a_symbolic_ledger_is_refused() {
    let Some(repo) = reftable() else { return };
    repo.reserve("alice", "src/**");
    let tip = repo.tip();
    repo.git(["update-ref", "refs/other/ledger", &tip]);
    for target in ["refs/other/ledger", "refs/other/absent"] {
        repo.git(["symbolic-ref", RESERVATIONS_REF, target]);
        let refused = repo.coord("bob", ["reserve", "docs/**"]).exits(exit::FAILURE);
        refused.says("is a symbolic ref").says("git symbolic-ref --delete");
        assert_eq!(repo.git(["symbolic-ref", RESERVATIONS_REF]), target);
        assert_eq!(repo.git(["rev-parse", "refs/other/ledger"]), tip);
    }
    repo.git(["symbolic-ref", "--delete", RESERVATIONS_REF]);
    repo.git(["update-ref", RESERVATIONS_REF, &tip]);
    repo.reserve("bob", "docs/**");
}

#[test]
fn a_damaged_ref_is_no_new_ledger() {
    let Some(repo) = reftable() else { return };
    repo.reserve("alice", "src/**");
    let packs = repo.git_dir().join("objects/pack");
    fs::remove_dir_all(packs).unwrap();
    repo.coord("bob", ["reserve", "src/x"])
        .exits(exit::FAILURE)
        .says("'refs/coord/reservations' is damaged");
}

#[test]
fn a_missing_git_is_said() {
    let repo = Repo::new();
    repo.git(["init", "--quiet", "--object-format=sha256", "../other"]);
    let call = repo.call("alice").dir(repo.world().join("other"));
    let refused = call.env("PATH", repo.elsewhere()).args(["reserve", "src/**"]).run();
    refused.exits(exit::FAILURE).says("cannot run git, which this repository needs");
    assert!(!repo.world().join("other/.git/coord").exists());
}

/// A partial clone that fetches the ledger with its filter has the trees and lacks the documents.
#[test]
fn what_a_partial_clone_left_behind_is_fetched_or_named() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    repo.git(["config", "uploadpack.allowFilter", "true"]);
    let remote = format!("file://{}", repo.work().display());
    let clone = ["clone", "--quiet", "--no-checkout", "--filter=blob:none", &remote, "../partial"];
    repo.git(clone);
    let partial = || repo.call("bob").dir(repo.world().join("partial"));
    let fetch = ["fetch", "--quiet", "origin", "refs/coord/reservations:refs/coord/reservations"];
    partial().program("git").args(fetch).run_unproven().done();
    let away = repo.world().join("away");
    fs::rename(repo.work(), &away).unwrap();
    let named = partial().args(["check", "src/x"]).run_unproven().exits(exit::FAILURE);
    let named = named.says("is not in this partial clone and could not be fetched");
    assert!(!named.stderr.contains("damage"), "{}", named.stderr);
    fs::rename(&away, repo.work()).unwrap();
    partial().args(["check", "src/x"]).run().exits(exit::NO).says("src/**");
    partial().args(["reserve", "docs/**"]).run().done();
    partial().args(["ledger", "verify"]).run().done();
}

/// Signals that git is about to move a ref, and gives a killer the time to act.
const SLOW_SWAP: &str = r#"#!/bin/sh
case "$*" in
*update-ref*) : >"$TMPDIR/swapping"; sleep 1; "$GIT" "$@"; : >"$TMPDIR/swapped" ;;
*) exec "$GIT" "$@" ;;
esac
"#;

/// 1/C1-state: whoever kills the command and all that it started does not hit git while it holds
/// the lock on all refs, which nobody would remove.
#[test]
fn a_swap_by_git_is_not_cut_in_the_middle() {
    let Some(repo) = reftable() else { return };
    let slow = repo.world().join("bin/git");
    let git = fs::read_link(&slow).unwrap();
    put_script(&slow, SLOW_SWAP);
    let victim = repo.call("alice").args(["reserve", "src/**"]).env("GIT", git);
    let mut child = victim.command().process_group(0).spawn().unwrap();
    wait_for(&repo, "swapping");
    let group = format!("-{}", child.id());
    repo.call("").program("kill").args(["-KILL", "--", &group]).run_unproven().done();
    child.wait().unwrap();
    fs::remove_file(&slow).unwrap();
    wait_for(&repo, "swapped");
    assert_eq!(repo.entry_count(), 1);
    assert!(!repo.git_dir().join("reftable/tables.list.lock").exists());
    repo.reserve("bob", "docs/**");
}

fn wait_for(repo: &Repo, file: &str) {
    let path = repo.world().join("tmp").join(file);
    let end = Instant::now() + Duration::from_secs(60);
    while !path.exists() {
        assert!(Instant::now() < end, "'{file}' never came");
        thread::sleep(Duration::from_millis(5));
    }
}
