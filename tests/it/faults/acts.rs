//! The writes that are disturbed, each in a repository that is ready for it, and the conditions
//! that must hold after every disturbance.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::steps::{Step, recorded};
use crate::golden::upgrade;
use crate::overrides::OVERRIDES_REF;
use crate::support::contract::{RESERVATIONS, RESERVATIONS_REF, RUNS_REF, exit, key};
use crate::support::untouched::Untouched;
use crate::support::{Call, Repo};

/// Less than the time after which a lock of an unknown owner counts as left behind: a writer that
/// has to wait for that is "busy" before.
const AT_ONCE: &str = "8s";
/// The number of our packs above which some are merged.
const PACKS_MAX: usize = 16;

/// One write, and its repository.
pub(super) struct Act {
    pub(super) name: &'static str,
    prepared: Repo,
    reference: &'static str,
    old_tip: String,
    args: Vec<String>,
    /// The exit codes that a repetition may have.
    again: &'static [i32],
}

impl Act {
    fn new(name: &'static str, prepared: Repo, args: &[&str]) -> Act {
        Act::on(RESERVATIONS_REF, name, prepared, args)
    }

    fn on(reference: &'static str, name: &'static str, prepared: Repo, args: &[&str]) -> Act {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        let tip = prepared.git_call(["rev-parse", "--verify", "--quiet", reference]);
        let old_tip = tip.run_unproven().stdout.trim_end().to_owned();
        Act { name, reference, old_tip, prepared, args, again: &[exit::DONE] }
    }

    /// Prepares an act of "alice" that is one entry and gives the same answer when it is repeated.
    fn reserve(name: &'static str, prepared: Repo) -> Act {
        Act::new(name, prepared, &["reserve", "src/api/**", "--request-id", "r1"])
    }

    pub(super) fn first_reserve() -> Act {
        Act::reserve("first reserve", Repo::new())
    }

    pub(super) fn later_reserve() -> Act {
        Act::reserve("later reserve", with_a_hold())
    }

    pub(super) fn release() -> Act {
        let repo = with_a_hold();
        let id = repo.reserve_id("alice", "README.md");
        Act::new("release", repo, &["release", &id])
    }

    pub(super) fn release_of_a_lock() -> Act {
        let repo = with_a_hold();
        repo.reserve_with("alice", &["--lock", "port"]);
        Act::new("release of a lock", repo, &["release", "--lock", "port"])
    }

    pub(super) fn reserve_of_a_lock() -> Act {
        let reserve = ["reserve", "--lock", "port", "src", "--request-id", "r1"];
        Act::new("reserve of a lock", with_a_hold(), &reserve)
    }

    pub(super) fn rollback() -> Act {
        let repo = with_a_hold();
        let target = repo.tip();
        repo.reserve("bob", "README.md");
        let rollback = ["ledger", "rollback", RESERVATIONS, "--to", &target, "--reason", "a test"];
        Act::new("rollback", repo, &rollback)
    }

    pub(super) fn upgrade() -> Act {
        Act::new("upgrade", upgrade::of_format_1(), &["ledger", "upgrade", RESERVATIONS])
    }

    pub(super) fn run_create() -> Act {
        let create = ["run", "create", "--goal", "a goal", "--id", RUN];
        Act::on(RUNS_REF, "run create", Repo::new(), &create)
    }

    /// Prepares an advance. A repetition may report that the phase has changed.
    pub(super) fn run_advance() -> Act {
        let advance = ["run", "advance", RUN, "--expect", "review"];
        let act = Act::on(RUNS_REF, "run advance", with_a_run(), &advance);
        Act { again: &[exit::DONE, exit::NO], ..act }
    }

    pub(super) fn run_rollback() -> Act {
        let rollback = ["run", "rollback", RUN, "--to", "draft", "--reason", "a test"];
        Act::on(RUNS_REF, "run rollback", with_a_run(), &rollback)
    }

    pub(super) fn run_cancel() -> Act {
        let repo = with_a_run();
        repo.coord("ann", ["run", "create", "--goal", "a part", "--parent", RUN]).done();
        Act::on(RUNS_REF, "run cancel", repo, &["run", "cancel", RUN, "--reason", "a test"])
    }

    pub(super) fn reserve_that_sweeps() -> Act {
        let repo = with_a_hold();
        repo.reserve_with("bob", &["src/api/users.rs", "--ttl", "60s"]);
        repo.pass("2m");
        Act::reserve("reserve that sweeps", repo)
    }

    pub(super) fn reserve_that_merges_packs() -> Act {
        let repo = Repo::new();
        for number in 0..PACKS_MAX {
            repo.reserve("bob", &format!("file-{number}"));
        }
        Act::reserve("reserve that merges packs", repo)
    }

    pub(super) fn reserve_after_pack_refs() -> Act {
        let repo = with_a_hold();
        repo.git(["pack-refs", "--all", "--prune"]);
        assert!(!repo.git_dir().join(RESERVATIONS_REF).exists(), "the ref is packed");
        Act::reserve("reserve after pack-refs", repo)
    }

    pub(super) fn reserve_shared_and_logged() -> Act {
        let repo = Repo::new();
        repo.git(["config", "core.sharedRepository", "group"]);
        repo.reserve("bob", "docs");
        let log = repo.git_dir().join("logs").join(RESERVATIONS_REF);
        std::fs::create_dir_all(log.parent().unwrap()).unwrap();
        std::fs::write(log, "").unwrap();
        Act::reserve("reserve, shared and logged", repo)
    }

    pub(super) fn ask() -> Act {
        Act::new("ask", with_a_hold(), &["ask", "docs", "--reason", "a test"])
    }

    pub(super) fn answer() -> Act {
        let repo = with_a_hold();
        repo.reserve("alice", "src/api/**");
        let thread = ask_for(&repo, "bob", "src/api/users.rs");
        Act::new("answer", repo, &["answer", &thread, "--release"])
    }

    pub(super) fn take() -> Act {
        let repo = with_a_hold();
        let thread = ask_for(&repo, "alice", "docs");
        repo.pass("11m");
        Act::new("take", repo, &["take", &thread, "--reason", "a test"])
    }

    pub(super) fn acknowledge() -> Act {
        let repo = Repo::new();
        let words = ["send", "alice", "--subject", "a test", "--body", "more", "--ack"];
        let sent = repo.json("bob", words);
        let message = sent["message"]["id"].as_str().unwrap();
        Act::new("acknowledge", repo, &["inbox", "--ack", message])
    }

    pub(super) fn first_apply() -> Act {
        let apply = ["override", "apply", "fd-style", "--reason", "wrong here"];
        Act::on(OVERRIDES_REF, "first apply", Repo::new(), &apply)
    }

    /// Prepares a proposal that comes into force: the old override ends when all three parts of the
    /// new one begin.
    pub(super) fn later_apply() -> Act {
        let repo = with_an_override();
        repo.coord("bob", ["override", "propose", "fd-style", "--reason", "noise"]).done();
        let apply = ["override", "apply", "fd-style", "--reason", "wrong here"];
        Act::on(OVERRIDES_REF, "later apply", repo, &apply)
    }

    pub(super) fn revert_and_block() -> Act {
        let revert = ["override", "revert", "fd-perf", "--block"];
        Act::on(OVERRIDES_REF, "revert and block", with_an_override(), &revert)
    }

    /// Copies the repository of the act.
    pub(super) fn stage(&self) -> Stage<'_> {
        Stage { act: self, repo: self.prepared.copy() }
    }

    /// Returns the git directory as it is before the act.
    pub(super) fn git_dir(&self) -> PathBuf {
        self.prepared.git_dir()
    }

    /// Records the steps of the undisturbed act, with paths below the git directory.
    pub(super) fn steps(&self) -> Vec<Step> {
        let stage = self.stage();
        let record = stage.record();
        stage.call().env("GIT_COORD_STEPS", &record).run().done();
        let git_dir = stage.repo.git_dir();
        recorded(&record).into_iter().map(|step| step.below(&git_dir)).collect()
    }

    /// Counts the events of each type after the act.
    pub(super) fn events_after(&self) -> BTreeMap<String, usize> {
        let stage = self.stage();
        stage.call().run().done();
        events(&stage.repo)
    }
}

const RUN: &str = "k3v9x2ab";

/// Creates a run in its second phase, with something of everything that a rollback undoes.
fn with_a_run() -> Repo {
    let repo = Repo::new();
    let create = ["run", "create", "--goal", "a goal", "--phases", "draft,review,done"];
    repo.coord("ann", create.iter().chain(&["--id", RUN])).done();
    repo.coord("ann", ["run", "advance", RUN]).done();
    repo.coord("ann", ["run", "artifact", "add", RUN, "--path", "README.md"]).done();
    repo.coord("ann", ["run", "verdict", "add", RUN, "--result", "clean"]).done();
    repo.coord("ann", ["run", "agent", "add", RUN, "--name", "bob"]).done();
    repo.coord("ann", ["run", "dispatch", "add", RUN]).done();
    repo
}

/// Asks, and returns the thread.
fn ask_for(repo: &Repo, agent: &str, path: &str) -> String {
    let answer = repo.json(agent, ["ask", path, "--reason", "a test"]);
    answer["thread"].as_str().unwrap().to_owned()
}

fn with_an_override() -> Repo {
    let repo = Repo::new();
    repo.coord("bob", ["override", "apply", "fd-perf", "--reason", "slow"]).done();
    repo
}

fn with_a_hold() -> Repo {
    let repo = Repo::new();
    repo.reserve("bob", "docs");
    repo
}

fn events(repo: &Repo) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for event in repo.events("") {
        *counts.entry(event["type"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    counts
}

/// One performance of an act.
pub(super) struct Stage<'a> {
    act: &'a Act,
    pub(super) repo: Repo,
}

impl Stage<'_> {
    /// Prepares the act.
    pub(super) fn call(&self) -> Call {
        self.repo.call("alice").config(key::WAIT, AT_ONCE).args(&self.act.args)
    }

    /// Returns the path for a record of steps.
    pub(super) fn record(&self) -> PathBuf {
        self.repo.world().join("tmp/steps")
    }

    /// 1/C1-state, 0/IMP-1, 2/P1-3, 4/F4: the state is wholly the old or wholly the new one, for us
    /// and for git. Returns true if it is the new one.
    #[track_caller]
    pub(super) fn is_old_or_new(&self, case: &str) -> bool {
        let reference = self.act.reference;
        let two = ["rev-list", "--max-count=2", "--ignore-missing", reference, "--"];
        let entries = self.repo.git_call(two).run_unproven().stdout;
        let mut entries = entries.lines();
        let is_new = entries.next().unwrap_or_default() != self.act.old_tip;
        if is_new {
            let before = entries.next().unwrap_or_default();
            assert_eq!(before, self.act.old_tip, "{case}: one entry more");
        }
        let fsck = self.repo.git_call(["fsck", "--strict", "--no-dangling"]).run_unproven();
        assert_eq!((fsck.code, fsck.stderr.as_str()), (0, ""), "{case}: {fsck:#?}");
        is_new
    }

    /// 4/TEST-3: the act, issued again, succeeds at once, and is one act however often it was
    /// tried; nothing blocks the next one.
    #[track_caller]
    pub(super) fn goes_on(&self, case: &str, expected: &BTreeMap<String, usize>) {
        let before = Untouched::of(self.repo.world());
        let again = self.call().run_unproven();
        assert!(self.act.again.contains(&again.code), "{case}: {again:#?}");
        assert_eq!(events(&self.repo), *expected, "{case}: one act, one set of events");
        let verify = self.repo.call("ops").args(["ledger", "verify"]).run_unproven();
        assert_eq!(verify.code, 0, "{case}: {verify:#?}");
        assert!(!self.lock().exists(), "{case}: no lock is left");
        before.assert_still_so(case);
    }

    /// Tells whether there is a lock of an unknown owner.
    pub(super) fn has_unsigned_lock(&self) -> bool {
        let staged = names_in(&self.repo.git_dir().join("coord/tmp"));
        self.lock().exists() && !staged.iter().any(|name| name.starts_with("lock,"))
    }

    /// Checks that `doctor --repair` removes a lock of an unknown owner.
    #[track_caller]
    pub(super) fn goes_on_after_a_repair(&self, case: &str, expected: &BTreeMap<String, usize>) {
        let busy = self.call().config(key::WAIT, "1s").run();
        assert_eq!(busy.code, exit::BUSY, "{case}: {busy:#?}");
        busy.says("git coord doctor --repair");
        let repair = self.repo.call("ops").args(["doctor", "--repair"]).run();
        assert!(repair.code == 0 && !self.lock().exists(), "{case}: {repair:#?}");
        self.goes_on(case, expected);
    }

    fn lock(&self) -> PathBuf {
        self.repo.git_dir().join(format!("{}.lock", self.act.reference))
    }

    /// Checks that no index is without its pack: readers of an index expect the pack.
    #[track_caller]
    pub(super) fn has_no_index_without_pack(&self, case: &str) {
        assert_eq!(self.without_partner(".idx", ".pack"), None, "{case}");
    }

    /// Checks that the next write removes everything that was left half done.
    #[track_caller]
    pub(super) fn clears_up(&self, case: &str) {
        if self.without_partner(".pack", ".idx").is_some() || self.is_something_kept() {
            self.repo.reserve("next", "elsewhere");
            assert_eq!(self.without_partner(".pack", ".idx"), None, "{case}");
            assert!(!self.is_something_kept(), "{case}: no pack is kept for nobody");
        }
    }

    fn is_something_kept(&self) -> bool {
        let names = names_in(&self.repo.git_dir().join("objects/pack"));
        names.iter().any(|name| name.strip_suffix(".keep").is_some())
    }

    /// Finds the first pack that has `one` file and not the `other`.
    fn without_partner(&self, one: &str, other: &str) -> Option<String> {
        let names = names_in(&self.repo.git_dir().join("objects/pack"));
        let mut stems = names.iter().filter_map(|name| name.strip_suffix(one));
        stems.find(|stem| !names.contains(&format!("{stem}{other}"))).map(str::to_owned)
    }
}

fn names_in(directory: &Path) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Vec::new() };
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}
