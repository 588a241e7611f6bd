//! A hold that has nearly as many exceptions as it may have, compared with a model that counts.
//!
//! Alice holds a directory and has given paths of it away. Others ask, ask again, take, and are
//! answered, in any order. The law: a path that nobody asked for becomes free only if Alice was
//! told so before, by the request or by the refusal that she then overruled.

use super::*;
use git_coord::core::limits::EXCEPTIONS_MAX;
use git_coord::core::negotiation::MessageKind;
use git_coord::core::negotiation::thread_index::{self, Found};

const PATHS: usize = 6;
/// A path that nobody asks for.
const REST: &str = "d/rest";

#[derive(Clone, Debug)]
enum Move {
    Ask { path: usize },
    Answer { thread: usize, whole: bool },
    Take { thread: usize },
    Release { path: usize },
}

fn moves() -> impl Strategy<Value = Vec<(usize, Move)>> {
    let (path, thread) = (0..PATHS, 0_usize..4);
    let one = prop_oneof![
        4 => path.clone().prop_map(|path| Move::Ask { path }),
        3 => (thread.clone(), any::<bool>())
            .prop_map(|(thread, whole)| Move::Answer { thread, whole }),
        3 => thread.prop_map(|thread| Move::Take { thread }),
        1 => path.prop_map(|path| Move::Release { path }),
    ];
    prop::collection::vec((1..AGENTS.len(), one), 1..16)
}

fn path(number: usize) -> Pattern {
    pattern(&format!("d/p{number}"))
}

fn freeing(paths: Vec<Pattern>) -> Release {
    Release { which: Selection { paths, ..Selection::default() }, force: None }
}

/// Builds the command of a move, with its actor and the request that it is about.
fn command_of(
    ledger: &MemoryLedger,
    agent: usize,
    one: &Move,
) -> Option<(AgentName, Command, Option<Thread>)> {
    let open = |number: usize| {
        let open: Vec<Thread> =
            ledger.threads().into_iter().filter(|thread| thread.open().is_some()).collect();
        open.get(number % open.len().max(1)).cloned()
    };
    Some(match one {
        Move::Ask { path: number } => {
            let act = Act::Ask { word: 0, holder: 0, through_hooks: true };
            let (actor, Command::Ask(ask)) = command(ledger, agent, &act)? else { return None };
            let patterns = vec![path(*number)];
            let ask = Ask { patterns, facts: PathFacts::NONE, holder: Some(name(0)), ..ask };
            (actor, ask.into(), None)
        }
        Move::Answer { thread, whole } => {
            let thread = open(*thread)?;
            let (which, whole) = (which(&thread), *whole);
            let answer = Answer { which, verdict: Verdict::Release, whole };
            (name(0), answer.into(), Some(thread))
        }
        Move::Take { thread } => {
            let thread = open(*thread)?;
            let (which, evidence) = (which(&thread), Some(silence_of(&name(0))));
            let take = Take { which, reason: line("no answer"), evidence };
            (thread.opened_by.clone(), take.into(), Some(thread))
        }
        Move::Release { path: number } => (name(0), freeing(vec![path(*number)]).into(), None),
    })
}

/// Counts the exceptions of Alice's hold; none if it has ended.
fn exceptions(ledger: &MemoryLedger) -> Option<usize> {
    let holds = git_coord::core::reservation::index::all(&ledger.documents).unwrap();
    let own = holds.into_iter().find(|hold| hold.holder == name(0))?;
    Some(own.target.paths().unwrap().except.len())
}

/// Tells whether a message of the thread told Alice that more becomes free.
fn was_told(ledger: &MemoryLedger, thread: &Thread) -> bool {
    let ids = thread_index::messages_of(&ledger.documents, &thread.id).unwrap();
    ids.iter().any(|id| match thread_index::message(&ledger.documents, &thread.id, id) {
        Ok(Some(Found::Whole(message))) => {
            message.kind == MessageKind::Ask
                && message.to == [name(0)]
                && message.subject.to_string().contains("a release frees all of d")
        }
        _ => false,
    })
}

fn transact(ledger: &mut MemoryLedger, number: u128, actor: AgentName, command: Command) -> bool {
    let op = OpId::from_bits(number + 1);
    let asked = Asked { actor, clock: ledger.at, op, command, gone: Gone::NOTHING };
    let outcome = ledger.transact(&asked, || format!("{number:040x}").parse().unwrap());
    ["done", "unchanged"].contains(&outcome)
}

/// 8/REST-STAYS: a hook that frees one path more than a hold can have exceptions leaves the hold as
/// it is. It ends with the turn.
#[test]
fn a_hook_ends_no_hold_for_one_path() {
    let mut ledger = with_exceptions(EXCEPTIONS_MAX, Via::Ask);
    let which = |paths: Vec<Pattern>, mine| Selection {
        paths,
        mine,
        via: Some(Via::Hook),
        ..Selection::default()
    };
    let committed = Release { which: which(vec![path(0)], false), force: None };
    transact(&mut ledger, 2, name(0), committed.into());
    assert_eq!(exceptions(&ledger), Some(EXCEPTIONS_MAX));
    let ended = Release { which: which(Vec::new(), true), force: None };
    assert!(transact(&mut ledger, 3, name(0), ended.into()));
    assert_eq!(exceptions(&ledger), None);
}

/// Makes a ledger in which Alice holds a directory and has given so many paths of it away.
fn with_exceptions(count: usize, via: Via) -> MemoryLedger {
    let mut ledger = MemoryLedger::new(Case::Sensitive);
    let (_, held) = command(&ledger, 0, &Act::Reserve { word: 0, shared: false }).unwrap();
    let Command::Reserve(held) = held else { unreachable!() };
    let about = About { via, ..held.about.clone() };
    let held = Reserve { patterns: vec![pattern("d/**")], facts: PathFacts::NONE, about, ..held };
    assert!(transact(&mut ledger, 0, name(0), held.into()));
    let gone = (0..count).map(|number| pattern(&format!("d/gone{number}"))).collect();
    assert!(transact(&mut ledger, 1, name(0), freeing(gone).into()));
    assert_eq!(exceptions(&ledger), Some(count));
    ledger
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// 8/REST-STAYS: nothing beyond a request becomes free before its holder was told so, and the
    /// answer is refused only then.
    #[test]
    fn nothing_more_is_free_than_was_said(
        given in EXCEPTIONS_MAX - 3..=EXCEPTIONS_MAX, moves in moves(),
    ) {
        let mut ledger = with_exceptions(given, Via::Command);
        for (number, (agent, one)) in moves.iter().enumerate() {
            let Some((actor, command, thread)) = command_of(&ledger, *agent, one) else { continue };
            let Some(before) = exceptions(&ledger) else { break };
            let is_said = thread.as_ref().is_some_and(|thread| was_told(&ledger, thread));
            let is_done = transact(&mut ledger, number as u128 + 2, actor, command);
            let after = exceptions(&ledger);
            let accepts = matches!(one, Move::Answer { whole: true, .. });
            prop_assert!(after.is_some() || is_said || accepts, "{REST} is free: {one:?}");
            if let (Some(thread), true) = (thread, before < EXCEPTIONS_MAX) {
                let is_held = thread.open().is_some();
                prop_assert!(is_done || !is_held, "the rest can be kept: {one:?}");
                prop_assert!(after.is_some(), "the rest can be kept: {one:?}");
            }
        }
    }
}
