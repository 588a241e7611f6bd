//! Compares the git ledger with the memory ledger: the same commands, the same answers, the same
//! documents, in folding and in case-sensitive ledgers.

use std::collections::BTreeMap;
use std::path::Path;
use std::process;
use std::time::Duration;

use git_coord::core::command::{Command, Request};
use git_coord::core::documents::FORMAT_VERSION;
use git_coord::core::documents::{Documents as _, Key, walk};
use git_coord::core::environment::Environment;
use git_coord::core::ids::EntryName;
use git_coord::core::ledger::LedgerName;
use git_coord::core::pattern::Case;
use git_coord::core::text::Line;
use git_coord::store::git::Git;
use git_coord::store::git::packs::Budget;
use git_coord::store::git::repository::Repository;
use git_coord::store::ledger::Ledger;
use git_coord::store::ledger::entry::Committer;
use git_coord::store::ledger::transact::{TransactError, WriteOptions};
use git_coord::store::ledger::verify::verify;
use git_coord::store::os::files::Files;
use git_coord::store::os::shared_mode::SharedMode;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::scenario::{Asked, MemoryLedger, Step, steps};
use crate::support::contract::RESERVATIONS_REF;

/// Creates a ledger in a bare repository of its own, and passes on its directory.
pub(crate) fn on_git<T>(case: Case, test: impl FnOnce(&Ledger<'_>, &Path) -> T) -> T {
    let home = tempfile::tempdir().unwrap();
    let repository = Repository::make_empty(home.path()).unwrap();
    on_ledger(&repository, case, |ledger| test(ledger, home.path()))
}

fn on_ledger<T>(repository: &Repository, case: Case, test: impl FnOnce(&Ledger<'_>) -> T) -> T {
    let files = Files { fsync: false, shared: SharedMode::Umask };
    let backend = Git::open(repository, files).unwrap();
    let writing = WriteOptions {
        committer: Committer::new("model", "model@example.org"),
        turns: None,
        wait: Duration::from_secs(5),
        case,
        format: FORMAT_VERSION,
        clock_skew: Duration::from_secs(300),
        maintenance: Budget::COMMAND,
    };
    test(&Ledger::new(&backend, LedgerName::Reservations, writing))
}

/// Decides on the git ledger, and returns the outcome as a word.
pub(crate) fn transact(ledger: &Ledger<'_>, asked: &Asked) -> &'static str {
    let host = Line::new("host").unwrap();
    let command = asked.command.clone();
    let request: Request<Command> =
        Request::new(command, asked.actor.clone(), host, asked.clock).unwrap();
    let request = request.knowing(asked.gone.clone());
    match ledger.transact(&request, &asked.op, None) {
        Ok(committed) if committed.entry.is_some() => "done",
        Ok(_) => "unchanged",
        Err(TransactError::Refused(refusal)) => refusal.code(),
        Err(error) => panic!("{error}"),
    }
}

fn tip(ledger: &Ledger<'_>) -> EntryName {
    ledger.now().unwrap().id().unwrap().to_string().parse().unwrap()
}

/// Reads the documents without those that the ledger itself adds, which the model does not have.
fn documents(ledger: &Ledger<'_>) -> BTreeMap<Key, Vec<u8>> {
    let base = ledger.now().unwrap();
    let keys = walk(&base.snapshot, &Key::root()).unwrap();
    let ours = keys.into_iter().filter(|key| !matches!(key.as_str(), "format" | "command"));
    ours.map(|key| (key.clone(), base.snapshot.get(&key).unwrap().unwrap())).collect()
}

/// Runs one scenario on both ledgers.
fn agree(ledger: &Ledger<'_>, case: Case, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut memory = MemoryLedger::new(case);
    for step in steps {
        let Some(asked) = memory.ask(step) else { continue };
        let by_git = transact(ledger, &asked);
        let by_memory = memory.transact(&asked, || tip(ledger));
        prop_assert_eq!(by_git, by_memory, "{:?}", asked.command);
        prop_assert_eq!(documents(ledger), memory.documents.clone());
    }
    let report = verify(ledger, memory.at).unwrap();
    prop_assert!(report.faults.is_empty(), "{:?}", report.faults);
    prop_assert_eq!(report.entries, memory.history.len() as u64);
    Ok(())
}

fn cases(count: u32) -> ProptestConfig {
    ProptestConfig { cases: count, failure_persistence: None, ..ProptestConfig::default() }
}

/// Runs a few scenarios in the repository of the current directory, each in a ledger of its own.
pub(crate) fn agree_in_this_directory() {
    let variables: Environment = std::env::vars_os().collect();
    let environment = variables.at(std::env::current_dir().unwrap());
    let scenarios = (steps(20), prop_oneof![Just(Case::Folded), Just(Case::Sensitive)]);
    let agreed = TestRunner::new(cases(4)).run(&scenarios, |(steps, case)| {
        let forget = ["update-ref", "-d", RESERVATIONS_REF];
        assert!(process::Command::new("git").args(forget).status().unwrap().success());
        let repository = Repository::discover(&environment).unwrap();
        on_ledger(&repository, case, |ledger| agree(ledger, case, &steps))
    });
    agreed.unwrap_or_else(|error| panic!("{error}"));
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn git_and_memory_agree(steps in steps(25), fold in any::<bool>()) {
        let case = if fold { Case::Folded } else { Case::Sensitive };
        on_git(case, |ledger, _| agree(ledger, case, &steps))?;
    }
}
