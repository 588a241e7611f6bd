//! Repositories that are less than whole, or part of another: shallow and partial clones,
//! borrowed objects, submodules, sparse checkouts, worktrees with settings of their own (1/ARCH-4).

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::contract::{RESERVATIONS, RESERVATIONS_REF, exit};
use crate::support::gits::{Version, git_since};
use crate::support::{Call, Repo, texts};

/// Another repository in the world of the first.
struct Other<'r> {
    repo: &'r Repo,
    top: PathBuf,
}

impl<'r> Other<'r> {
    fn at(repo: &'r Repo, place: impl AsRef<Path>) -> Other<'r> {
        Other { repo, top: repo.world().join(place) }
    }

    fn clone(repo: &'r Repo, options: &[&str], place: &str) -> Other<'r> {
        let other = Other::at(repo, place);
        let remote = format!("file://{}", repo.work().display());
        let target = other.top.to_str().expect("the test's own path is UTF-8");
        let clone = [["clone", "--quiet"].as_slice(), options, &[&remote, target]].concat();
        repo.git(clone);
        other
    }

    fn call(&self, args: &[&str]) -> Call {
        self.repo.call("bob").dir(&self.top).args(args)
    }

    #[track_caller]
    fn git(&self, args: &[&str]) -> String {
        let call = self.call(args).program("git").run_unproven();
        call.done().stdout.trim_end().to_owned()
    }

    #[track_caller]
    fn patterns(&self) -> Vec<String> {
        let answer = self.call(&["list", "--json"]).run().done().json();
        texts(&answer["reservations"], "pattern")
    }

    /// Makes so many entries that packs are merged, and reads all of them.
    #[track_caller]
    fn works(&self) {
        for number in 0..15 {
            self.call(&["reserve", &format!("own/{number}")]).run().done();
            self.call(&["check", "own"]).run().done();
        }
        self.call(&["reserve", "own"]).run().done();
        let own = |pattern: &String| pattern.starts_with("own");
        let own: Vec<String> = self.patterns().into_iter().filter(own).collect();
        assert_eq!(own, ["own"], "the wider hold took the others in");
        self.call(&["ledger", "verify"]).run().done();
        let log = self.call(&["ledger", "log", RESERVATIONS, "--json"]).run().done().json();
        assert_eq!(log["entries"][0]["entry"], self.git(&["rev-parse", RESERVATIONS_REF]));
    }

    /// Fetches the ledger of the repository that it was cloned from.
    fn fetch_ledger(&self) {
        let both = format!("{RESERVATIONS_REF}:{RESERVATIONS_REF}");
        self.git(&["fetch", "--quiet", "origin", &both]);
    }
}

#[test]
fn a_shallow_clone_has_a_whole_ledger() {
    let repo = Repo::new();
    repo.git(["commit", "--quiet", "--allow-empty", "--message", "second"]);
    let shallow = Other::clone(&repo, &["--depth=1"], "shallow");
    assert_eq!(shallow.git(&["rev-list", "--count", "HEAD"]), "1");
    shallow.works();
    assert_eq!(shallow.git(&["fsck", "--strict", "--no-dangling"]), "");
    shallow.git(&["fetch", "--quiet", "--unshallow"]);
    shallow.works();
}

/// A ledger whose beginning is cut off can be read and written; what is not here is no damage.
#[test]
fn a_ledger_that_was_fetched_shallowly_works() {
    let repo = Repo::new();
    for path in ["src/**", "docs/**", "README.md"] {
        repo.reserve("alice", path);
    }
    let shallow = Other::clone(&repo, &["--depth=1"], "shallow");
    let both = format!("{RESERVATIONS_REF}:{RESERVATIONS_REF}");
    shallow.git(&["fetch", "--quiet", "--depth=1", "origin", &both]);
    assert_eq!(shallow.patterns().len(), 3);
    shallow.call(&["reserve", "src/x"]).run().exits(exit::NO);
    shallow.call(&["reserve", "own/x"]).run().done();
    assert_eq!(shallow.patterns().len(), 4);
    let events = shallow.call(&["events", "--json"]).run().done().json_lines();
    assert_eq!(events.len(), 2, "what is here: {events:#?}");
    let log = shallow.call(&["ledger", "log", RESERVATIONS, "--json"]).run().done().json();
    assert_eq!(log["entries"].as_array().map(Vec::len), Some(2));
    shallow.call(&["ledger", "verify"]).run().done().says("this clone is shallow");
    shallow.git(&["fetch", "--quiet", "--unshallow", "origin", RESERVATIONS_REF]);
    let whole = shallow.call(&["ledger", "verify"]).run().done();
    whole.says("ok: 4 entries");
    assert_eq!(whole.stderr, "");
}

/// What is behind the end of a shallow clone can be neither judged nor set aside.
#[test]
fn a_rollback_to_what_a_shallow_clone_does_not_have() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let good = repo.tip();
    repo.reserve("alice", "docs/**");
    repo.coord("ops", ["ledger", "rollback", RESERVATIONS, "--to", &good, "--reason", "test"])
        .done();
    repo.pass("40d");
    repo.reserve("alice", "later");
    let shallow = Other::clone(&repo, &["--depth=1"], "shallow");
    let both = format!("{RESERVATIONS_REF}:{RESERVATIONS_REF}");
    for depth in ["--depth=3", "--depth=2"] {
        shallow.git(&["fetch", "--quiet", "--update-shallow", depth, "origin", &both]);
        shallow.call(&["ledger", "verify"]).run().done().says("this clone is shallow");
        let before = shallow.git(&["for-each-ref", "refs/coord"]);
        let refused = shallow.call(&["ledger", "compact", "--keep", "1d"]).run();
        refused.exits(exit::FAILURE).says("in this shallow clone").says("--unshallow");
        assert_eq!(shallow.git(&["for-each-ref", "refs/coord"]), before);
    }
    shallow.git(&["fetch", "--quiet", "--unshallow", "origin", RESERVATIONS_REF]);
    shallow.call(&["ledger", "verify"]).run().done().says("ok: 4 entries");
    let compacted = shallow.call(&["ledger", "compact", "--keep", "1d"]).run().done();
    compacted.says("set aside 3 entries");
    shallow.call(&["ledger", "verify"]).run().done();
}

/// `extensions.partialClone` is how a partial clone was written down before git 2.24.
#[test]
fn a_partial_clone_in_the_old_style() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    repo.git(["config", "uploadpack.allowFilter", "true"]);
    let partial = Other::clone(&repo, &["--no-checkout", "--filter=blob:none"], "partial");
    partial.git(&["config", "core.repositoryFormatVersion", "1"]);
    partial.git(&["config", "extensions.partialClone", "origin"]);
    partial.fetch_ledger();
    let away = repo.world().join("away");
    fs::rename(repo.work(), &away).unwrap();
    let gone = partial.call(&["check", "src/x"]).run_unproven().exits(exit::FAILURE);
    gone.says("is not in this partial clone and could not be fetched").says("try again");
    assert!(!gone.stderr.contains("damage"), "{}", gone.stderr);
    fs::rename(&away, repo.work()).unwrap();
    partial.call(&["check", "src/x"]).run().exits(exit::NO);
    partial.works();
    partial.git(&["gc", "--quiet", "--prune=now"]);
    partial.works();
}

/// What is borrowed is read; what is written is our own, and stays when the lender goes.
#[test]
fn objects_of_another_repository_are_read_but_not_relied_on() {
    for option in ["--shared", "--reference"] {
        let repo = Repo::new();
        let place = repo.work().display().to_string();
        let options: &[&str] = if option == "--shared" { &[option] } else { &[option, &place] };
        let borrower = Other::at(&repo, "borrower");
        let target = borrower.top.display().to_string();
        repo.git([["clone", "--quiet"].as_slice(), options, &[&place, &target]].concat());
        assert!(borrower.top.join(".git/objects/info/alternates").exists());
        repo.reserve("alice", "src/**");
        borrower.works();
        assert_eq!(borrower.patterns(), ["own"], "another repository, another ledger");
        fs::remove_file(borrower.top.join(".git/objects/info/alternates")).unwrap();
        assert_eq!(borrower.patterns(), ["own"], "nothing of it was borrowed");
    }
}

#[test]
fn a_ledger_whose_objects_are_borrowed_goes_on() {
    let repo = Repo::new();
    repo.reserve("alice", "src/**");
    let place = repo.work().display().to_string();
    repo.git(["clone", "--quiet", "--shared", &place, "../borrower"]);
    let borrower = Other::at(&repo, "borrower");
    borrower.fetch_ledger();
    assert_eq!(borrower.patterns(), ["src/**"]);
    borrower.works();
    assert_eq!(repo.holds().len(), 1, "the lender's ledger is its own");
}

#[test]
fn a_submodule_has_a_ledger_of_its_own() {
    let repo = Repo::new();
    repo.git(["clone", "--quiet", ".", "../library"]);
    let add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../library"];
    repo.git([add.as_slice(), &["vendor/library"]].concat());
    let submodule = Other::at(&repo, "work/vendor/library");
    submodule.works();
    assert_eq!(repo.tip(), "", "not the ledger of the repository around it");
    repo.reserve("alice", "vendor/**");
    assert_eq!(submodule.patterns(), ["own"]);
    let inside = repo.git_dir().join("modules/vendor/library").join(RESERVATIONS_REF);
    assert!(inside.is_file(), "'{}' is not there", inside.display());
}

/// Paths that are not checked out can be held, with an index that names directories too.
#[test]
fn a_sparse_checkout_holds_what_is_not_there() {
    let repo = Repo::new();
    let sparse = Other::clone(&repo, &["--sparse"], "sparse");
    sparse.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "docs"]);
    assert!(!sparse.top.join("src").exists());
    sparse.works();
    let held = sparse.call(&["reserve", "src/api/**", "--json"]).run().done();
    assert!(!held.stderr.contains("no tracked file"), "{}", held.stderr);
}

#[test]
fn worktrees_with_settings_of_their_own_share_the_ledger() {
    let repo = Repo::new();
    repo.git(["config", "extensions.worktreeConfig", "true"]);
    repo.git(["worktree", "add", "--quiet", "-b", "side", "../linked"]);
    let linked = Other::at(&repo, "linked");
    linked.git(&["config", "--worktree", "coord.agent", "of-this-worktree"]);
    linked.call(&["reserve", "src/**"]).without_env("GIT_COORD_AGENT").run().done();
    assert_eq!(repo.holds()[0]["holder"], "of-this-worktree");
    linked.works();
    assert_eq!(repo.holds().len(), linked.patterns().len());
}

/// `extensions.relativeWorktrees`: git writes it where links between worktrees are relative.
#[test]
fn worktrees_that_are_linked_relatively_share_the_ledger() {
    let Some(git) = git_since(Version(2, 48), "extensions.relativeWorktrees") else { return };
    let repo = Repo::new();
    repo.prefer(git);
    repo.git(["worktree", "add", "--quiet", "--relative-paths", "-b", "side", "../linked"]);
    assert_eq!(repo.git(["config", "extensions.relativeWorktrees"]), "true");
    let linked = Other::at(&repo, "linked");
    linked.works();
    assert_eq!(repo.holds().len(), linked.patterns().len());
}
