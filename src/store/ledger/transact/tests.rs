//! Writes alone and for other writers, on a state that was read before and on the current one.

use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::core::compaction;
use crate::core::documents::FORMAT_VERSION;
use crate::core::ids::AgentName;
use crate::core::reservation::release::Release;
use crate::core::reservation::select::Selection;
use crate::store::git::Git;
use crate::store::git::backend::Objects as _;
use crate::store::git::packs::Budget;
use crate::store::git::repository::Repository;
use crate::store::ledger::compact::Compaction;
use crate::store::ledger::history::Since;
use crate::store::testing::FILES;

const LEDGER: LedgerName = LedgerName::Reservations;

fn in_repository<T>(test: impl FnOnce(&Git, &Path) -> T) -> T {
    let home = TempDir::new().unwrap();
    let repository = Repository::make_empty(home.path()).unwrap();
    let git = Git::open(&repository, FILES).unwrap();
    test(&git, repository.common_dir())
}

/// Opens the ledger with the options of the request's owner.
fn ledger<'b>(git: &'b Git, common: &Path, pending: &PendingRequest) -> Ledger<'b> {
    let writing = WriteOptions {
        committer: pending.committer.clone(),
        turns: Some(Turns::new(common, LEDGER, FILES)),
        wait: Duration::from_secs(5),
        case: Case::Sensitive,
        format: FORMAT_VERSION,
        clock_skew: Duration::from_secs(300),
        maintenance: Budget::COMMAND,
    };
    Ledger::new(git, LEDGER, writing)
}

fn pending(number: u32) -> PendingRequest {
    let agent: AgentName = format!("agent-{number}").parse().unwrap();
    let path = format!("src/{number}");
    let command = serde_json::from_value(json!({"command": "reserve", "input": {
        "patterns": [path], "mode": "exclusive", "ttl": 900, "via": "command", "scope": "all",
    }}));
    let clock = Timestamp::from_millis(1_767_607_200_000 + i64::from(number));
    PendingRequest {
        op: OpId::from_bits(u128::from(number) + 1),
        committer: Committer::new(agent.as_str(), "agent@example.com"),
        fsync: false,
        request: Request::new(command.unwrap(), agent, "host".parse().unwrap(), clock).unwrap(),
    }
}

fn write(ledger: &Ledger<'_>, pending: &PendingRequest) -> Option<ObjectId> {
    ledger.transact(&pending.request, &pending.op, None).unwrap().entry
}

/// A writer writes for others, to the byte, the entries that they would have written.
#[test]
fn requests_come_to_the_entries_that_their_owners_would_write() {
    let [first, second, third] = [1, 2, 3].map(pending);
    let alone = in_repository(|git, common| {
        let all = [&first, &second, &third];
        all.map(|pending| write(&ledger(git, common, pending), pending))[2]
    });
    let together = in_repository(|git, common| {
        let requests = PendingRequests::new(common, LEDGER, FILES);
        let submitted = [&second, &third].map(|pending| requests.submit(pending).unwrap().unwrap());
        let ledger = ledger(git, common, &first);
        write(&ledger, &first);
        assert!(
            submitted.map(|submitted| submitted.withdraw().unwrap()).iter().all(|is_ours| !is_ours)
        );
        ledger.now().unwrap().id()
    });
    assert_eq!(alone, together);
}

/// A state that was read earlier must not decide: an edit could pass because of a hold that has
/// ended.
#[test]
fn what_was_read_before_counts_while_it_is_the_newest() {
    in_repository(|git, common| {
        let [mut first, second] = [1, 2].map(pending);
        if let Command::Reserve(reserve) = &mut first.request.command {
            reserve.with_edit = true;
        }
        let ledger = ledger(git, common, &first);
        let again = |base| {
            let committed = ledger.transact_if_needed(base, &first.request, &second.op);
            committed.unwrap().entry
        };
        assert!(write(&ledger, &first).is_some());
        assert_eq!(again(ledger.now().unwrap()), None);
        let read_before = ledger.now().unwrap();
        let which = Selection { mine: true, ..Selection::default() };
        let command = Command::from(Release { which, force: None });
        let Request { actor, host, clock, .. } = first.request.clone();
        let request = Request::new(command, actor, host, clock).unwrap();
        ledger.transact(&request, &pending(3).op, None).unwrap().entry.unwrap();
        assert!(again(read_before).is_some());
    });
}

/// The entry that another writer made is found, and no older act is taken for it, even after a
/// compaction.
#[test]
fn what_another_has_written_is_found_behind_a_compaction() {
    in_repository(|git, common| {
        let [first, second, third] = [1, 2, 3].map(pending);
        let ledger = ledger(git, common, &first);
        let since = Since(write(&ledger, &first));
        let written = write(&ledger, &second);
        let found = |op| {
            let tip = ledger.now().unwrap().id();
            ledger.act_since(since, tip, op).unwrap().map(|(id, _)| id)
        };
        assert_eq!(found(&second.op), written);
        assert_eq!((found(&first.op), found(&third.op)), (None, None));
        let Request { actor, host, .. } = second.request.clone();
        let clock = third.request.clock.plus_seconds(60);
        let compaction = Compaction { actor, host, clock, keep_seconds: 0 };
        ledger.compact(&compaction, &third.op).unwrap().unwrap().written.unwrap();
        assert_eq!(found(&second.op), written);
        assert_eq!(found(&first.op), None);
    });
}

/// The kept entries may be most of a long history, and only few of the rewritten ones are in
/// memory.
#[test]
fn a_chain_that_is_written_again_is_stored_bit_by_bit() {
    in_repository(|git, common| {
        let requests: Vec<PendingRequest> = (1..=6).map(pending).collect();
        let ids: Vec<ObjectId> =
            requests.iter().filter_map(|one| write(&ledger(git, common, one), one)).collect();
        let kept: Vec<ObjectId> = ids[1..].iter().rev().copied().collect();
        let plan = compaction::Plan { stands_for: ids[0], kept, set_aside: 1 };
        let first = git.read(&ids[0]).unwrap().unwrap();
        let ledger = ledger(git, common, &requests[0]);
        let whole = ledger.rebase_kept(&plan, first.clone(), usize::MAX).unwrap();
        assert_eq!((whole.stored.len(), whole.objects.iter().len()), (0, 6));
        let in_bits = ledger.rebase_kept(&plan, first, 0).unwrap();
        assert_eq!((in_bits.stored.len(), in_bits.objects.iter().len()), (4, 1));
        assert_eq!(in_bits.tip, whole.tip);
        let keeps = std::fs::read_dir(common.join("objects/pack")).unwrap().filter(|entry| {
            entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "keep")
        });
        assert_eq!(keeps.count(), 4, "what is stored is protected");
    });
}
