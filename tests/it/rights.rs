//! Who may do what, compared with a model that lists every path of a small world.
//!
//! The model reads a hold as a set of paths. With sets it computes what an act leaves to whom, who
//! may edit which file in which worktree, and what became of a request.

mod limit;
mod model;

use git_coord::core::command::Command;
use git_coord::core::decision::No;
use git_coord::core::ids::{AgentName, OpId};
use git_coord::core::negotiation::answer::{Answer, Verdict};
use git_coord::core::negotiation::ask::Ask;
use git_coord::core::negotiation::find::Which;
use git_coord::core::negotiation::standing::{Evidence, Status};
use git_coord::core::negotiation::take::Take;
use git_coord::core::negotiation::{Asked as Wanted, How, Thread};
use git_coord::core::pattern::{Case, Pattern};
use git_coord::core::reservation::check::{Asker, check};
use git_coord::core::reservation::paths::PathFacts;
use git_coord::core::reservation::process::Gone;
use git_coord::core::reservation::release::Release;
use git_coord::core::reservation::reserve::Reserve;
use git_coord::core::reservation::select::Selection;
use git_coord::core::reservation::{About, Mode, Via};
use git_coord::core::text::Line;
use git_coord::core::time::{Timestamp, Ttl};
use proptest::prelude::*;

use crate::scenario::{Asked, MemoryLedger, edit};
use model::{
    AGENTS, FILES, Held, PATTERNS, Set, Shares, all_of, alone, are_strangers, covers, held,
    lasting, meant, of_others, shares, without,
};

/// The worktrees that agents edit in: the main one, and linked ones by their numbers.
const WORKTREES: [Option<u8>; 3] = [None, Some(0), Some(1)];

/// One act. Words are numbers of files and patterns.
#[derive(Clone, Debug)]
enum Act {
    Reserve {
        word: usize,
        shared: bool,
    },
    Edit {
        file: usize,
        worktree: usize,
    },
    ReleasePath {
        word: usize,
    },
    /// The holder releases what it is asked for, and does not answer.
    ReleaseAsked {
        thread: usize,
    },
    EndTurn,
    Ask {
        word: usize,
        holder: usize,
        through_hooks: bool,
    },
    AnswerRelease {
        thread: usize,
    },
    Take {
        thread: usize,
    },
}

fn acts() -> impl Strategy<Value = Vec<(usize, Act)>> {
    let word = 0..FILES.len() + PATTERNS.len();
    let agent = 0..AGENTS.len();
    let act = prop_oneof![
        6 => (word.clone(), any::<bool>()).prop_map(|(word, shared)| Act::Reserve { word, shared }),
        6 => (0..FILES.len(), 0..WORKTREES.len())
            .prop_map(|(file, worktree)| Act::Edit { file, worktree }),
        3 => word.clone().prop_map(|word| Act::ReleasePath { word }),
        2 => (0_usize..4).prop_map(|thread| Act::ReleaseAsked { thread }),
        3 => Just(Act::EndTurn),
        4 => (word, agent.clone(), any::<bool>()).prop_map(|(word, holder, through_hooks)| {
            Act::Ask { word, holder, through_hooks }
        }),
        3 => (0_usize..4).prop_map(|thread| Act::AnswerRelease { thread }),
        3 => (0_usize..4).prop_map(|thread| Act::Take { thread }),
    ];
    prop::collection::vec((agent, act), 1..20)
}

fn text(word: usize) -> &'static str {
    FILES.iter().chain(&PATTERNS).nth(word).unwrap()
}

fn pattern(text: &str) -> Pattern {
    Pattern::canonical(text.as_bytes()).unwrap()
}

/// Returns the facts about a word, as a work tree of this world has them.
fn facts(text: &str) -> PathFacts {
    let is_file = FILES.contains(&text);
    PathFacts { files: is_file.then(|| pattern(text)).into_iter().collect(), ..PathFacts::NONE }
}

fn name(agent: usize) -> AgentName {
    AGENTS[agent].parse().unwrap()
}

fn line(text: &str) -> Line {
    Line::new(text).unwrap()
}

fn ttl() -> Ttl {
    Ttl::from_seconds(3_600).unwrap()
}

fn tree_name(worktree: usize) -> Option<String> {
    WORKTREES[worktree].map(|number| format!("tree{number}"))
}

fn edit_of(file: &str, worktree: usize) -> Reserve {
    edit(pattern(file), ttl(), WORKTREES[worktree])
}

/// Builds the command of an act, and chooses who acts: in a request, those who take part in it.
fn command(ledger: &MemoryLedger, agent: usize, act: &Act) -> Option<(AgentName, Command)> {
    let thread = |number: usize| {
        let threads = ledger.threads();
        threads.get(number % threads.len().max(1)).cloned()
    };
    let actor = name(agent);
    Some(match act {
        Act::Reserve { word, shared } => {
            let about = About {
                reason: None,
                task: None,
                run: None,
                via: Via::Command,
                worktree: None,
                place: None,
            };
            let asked = Reserve::asked(vec![pattern(text(*word))], Vec::new(), ttl(), about);
            let mode = if *shared { Mode::Shared } else { Mode::Exclusive };
            (actor, Reserve { mode, facts: facts(text(*word)), ..asked }.into())
        }
        Act::Edit { file, worktree } => (actor, edit_of(FILES[*file], *worktree).into()),
        Act::ReleasePath { word } => {
            let (paths, facts) = (vec![pattern(text(*word))], facts(text(*word)));
            let which = Selection { paths, facts, ..Selection::default() };
            (actor, Release { which, force: None }.into())
        }
        Act::ReleaseAsked { thread: number } => {
            let asked = thread(*number)?.asked?;
            let (paths, facts) = (asked.patterns, asked.facts);
            let which = Selection { paths, facts, ..Selection::default() };
            (asked.holder, Release { which, force: None }.into())
        }
        Act::EndTurn => {
            let via = Some(Via::Hook);
            let which = Selection { mine: true, alone: true, via, ..Selection::default() };
            let held = held(ledger);
            let ending: Vec<&Held> = held.iter().filter(|hold| hold.ends_with_turn).collect();
            let chosen = ending.get(agent % ending.len().max(1));
            let actor = chosen.map_or(actor, |hold| hold.holder.parse().unwrap());
            (actor, Release { which, force: None }.into())
        }
        Act::Ask { word, holder, through_hooks } => {
            let ask = Ask {
                hold: None,
                patterns: vec![pattern(text(*word))],
                facts: facts(text(*word)),
                locks: Vec::new(),
                holder: holder_of(ledger, &actor, text(*word), *holder),
                reason: line("I need it"),
                urgent: false,
                ttl: ttl(),
                worktree: None,
                through_hooks: *through_hooks,
            };
            (actor, ask.into())
        }
        Act::AnswerRelease { thread: number } => {
            let thread = thread(*number)?;
            let answer = Answer { which: which(&thread), verdict: Verdict::Release, whole: false };
            (thread.asked?.holder, answer.into())
        }
        Act::Take { thread: number } => {
            let thread = thread(*number)?;
            let evidence = Some(silence_of(&thread.asked.as_ref()?.holder));
            let take = Take { which: which(&thread), reason: line("no answer"), evidence };
            (thread.opened_by, take.into())
        }
    })
}

/// Chooses one of those who stand in the way of an agent.
fn holder_of(ledger: &MemoryLedger, by: &AgentName, word: &str, which: usize) -> Option<AgentName> {
    let wanted = meant_by(word);
    let held = held(ledger);
    let stops = |hold: &&Held| is_in_the_way(hold, by.as_str(), &wanted, false);
    let holders: Vec<&Held> = held.iter().filter(stops).collect();
    holders.get(which % holders.len().max(1)).map(|hold| hold.holder.parse().unwrap())
}

fn which(thread: &Thread) -> Which {
    let name = thread.id.as_str().parse().unwrap();
    Which { thread: Some(name), patterns: Vec::new(), locks: Vec::new() }
}

/// Says that an agent has been silent for years.
fn silence_of(agent: &AgentName) -> Evidence {
    Evidence {
        agent: agent.clone(),
        host: line("host"),
        last_seen: Timestamp::from_millis(0),
        busy_since: None,
        runs: false,
        place: None,
        observed_at: None,
        ended: false,
    }
}

/// Tells whether a hold stands in the way of an agent that wants these paths in this mode.
fn is_in_the_way(hold: &Held, agent: &str, paths: &Set, is_shared: bool) -> bool {
    let have_common = hold.paths.iter().any(|path| paths.contains(path));
    are_strangers(agent, &hold.holder) && have_common && !(hold.is_shared && is_shared)
}

/// Tells whether an agent may edit a file in a worktree, and lists who is to be named in a warning.
fn may_edit(held: &[Held], agent: &str, file: &str, worktree: Option<&str>) -> (bool, Set) {
    let has = |hold: &&Held| hold.paths.contains(file);
    let shares_it =
        held.iter().filter(has).any(|hold| hold.is_shared && !are_strangers(agent, &hold.holder));
    let strangers: Vec<&Held> =
        held.iter().filter(has).filter(|hold| are_strangers(agent, &hold.holder)).collect();
    let is_harmless = |hold: &&Held| hold.is_elsewhere(worktree) || (hold.is_shared && shares_it);
    let elsewhere = strangers.iter().filter(|hold| hold.is_elsewhere(worktree));
    let warned = elsewhere.map(|hold| hold.holder.clone()).collect();
    (strangers.iter().all(is_harmless), warned)
}

/// Compares what every agent may edit where, and who is warned of whom.
fn compare_edits(ledger: &MemoryLedger, held: &[Held]) -> Result<(), TestCaseError> {
    for agent in AGENTS {
        for (file, worktree) in FILES.iter().flat_map(|file| (0..3).map(move |tree| (file, tree))) {
            let tree = tree_name(worktree);
            let (may, warned) = may_edit(held, agent, file, tree.as_deref());
            let tried = ledger.tried(&agent.parse().unwrap(), &edit_of(file, worktree));
            let case = format!("{agent} edits {file} in {tree:?}: {held:#?}");
            match tried {
                Ok(reserved) => {
                    let elsewhere = reserved.edited_elsewhere.iter();
                    let named: Set = elsewhere.map(|it| it.held.holder.to_string()).collect();
                    prop_assert!(may, "{}", case);
                    prop_assert_eq!(named, warned, "{}", case);
                }
                Err(No::Refused(_)) => prop_assert!(!may, "{}", case),
                Err(No::Unreadable(error)) => panic!("{error}"),
            }
        }
    }
    Ok(())
}

/// Checks that no two holds of strangers have a path in common, unless both are shared, or both
/// came with edits in different worktrees.
fn compare_laws(held: &[Held]) -> Result<(), TestCaseError> {
    for (one, other) in held.iter().flat_map(|one| held.iter().map(move |other| (one, other))) {
        let are_edits_apart = one.tree.is_some() && other.tree.is_some() && one.tree != other.tree;
        if !are_edits_apart && is_in_the_way(one, &other.holder, &other.paths, other.is_shared) {
            prop_assert!(false, "{one:?} and {other:?}");
        }
    }
    Ok(())
}

/// The state before an act and after it.
struct Change {
    actor: String,
    before: Vec<Held>,
    after: Vec<Held>,
    is_refused: bool,
    threads_before: Vec<Thread>,
    threads_after: Vec<Thread>,
}

impl Change {
    fn shares(&self) -> (Shares, Shares) {
        (shares(&self.before), shares(&self.after))
    }

    /// Compares what an act changed with what it had to change.
    fn compare(&self, act: &Act) -> Result<(), TestCaseError> {
        let (before, after) = self.shares();
        if self.is_refused {
            prop_assert_eq!(&before, &after, "a refused act changes nothing");
        }
        match act {
            Act::Reserve { word, shared } => self.compare_reserve(text(*word), *shared),
            Act::Edit { file, worktree } => {
                let tree = tree_name(*worktree);
                let (may, _) = may_edit(&self.before, &self.actor, FILES[*file], tree.as_deref());
                prop_assert_eq!(may, !self.is_refused);
                let others = of_others(before, &self.actor);
                prop_assert_eq!(others, of_others(after, &self.actor));
                let protects = |hold: &Held| {
                    hold.paths.contains(FILES[*file])
                        && !are_strangers(&self.actor, &hold.holder)
                        && !hold.is_elsewhere(tree.as_deref())
                };
                prop_assert!(self.is_refused || self.after.iter().any(protects), "unprotected");
                Ok(())
            }
            Act::ReleasePath { word } => {
                let left = without(before, &meant_by(text(*word)), |it| covers(&self.actor, it));
                prop_assert_eq!(left, after);
                Ok(())
            }
            Act::ReleaseAsked { thread } => {
                let thread = &self.threads_before[thread % self.threads_before.len()];
                let given = wanted(thread.asked.as_ref().unwrap());
                let left = without(before, &given, |it| covers(&self.actor, it));
                prop_assert_eq!(left, after);
                Ok(())
            }
            Act::EndTurn => {
                let stays = |hold: &&Held| !hold.ends_with_turn || hold.holder != self.actor;
                let left: Vec<Held> = self.before.iter().filter(stays).cloned().collect();
                prop_assert_eq!(shares(&left), after);
                Ok(())
            }
            Act::Ask { .. } => {
                prop_assert_eq!(before, after, "a request changes no hold");
                Ok(())
            }
            Act::AnswerRelease { thread } | Act::Take { thread } => {
                let thread = &self.threads_before[thread % self.threads_before.len()];
                self.compare_handover(thread)
            }
        }
    }

    fn compare_reserve(&self, word: &str, is_shared: bool) -> Result<(), TestCaseError> {
        let ((before, after), agent) = (self.shares(), self.actor.as_str());
        let wanted = meant_by(word);
        let in_the_way: Vec<&Held> = self
            .before
            .iter()
            .filter(|hold| is_in_the_way(hold, agent, &wanted, is_shared))
            .collect();
        if self.is_refused {
            prop_assert!(!in_the_way.is_empty(), "{word}: a needless refusal");
            return Ok(());
        }
        prop_assert!(in_the_way.is_empty(), "{word} is held: {in_the_way:?}");
        prop_assert_eq!(of_others(before.clone(), agent), of_others(after.clone(), agent));
        let all: Set = all_of(&before, agent).union(&wanted).cloned().collect();
        prop_assert_eq!(all, all_of(&after, agent));
        let granted = alone(&after, agent);
        let shared = after.get(&(agent.to_owned(), true, None)).cloned().unwrap_or_default();
        let has = |path: &String| granted.contains(path) || (is_shared && shared.contains(path));
        prop_assert!(wanted.iter().all(has), "{word} is not what was asked for: {after:?}");
        let lasts = wanted.is_subset(&lasting(&self.after, agent));
        prop_assert!(lasts, "{word} ends with the turn: {:?}", self.after);
        Ok(())
    }

    /// 8/REST-STAYS: the old holder has everything but what was asked for, the asker has that or
    /// nothing, and nobody else has more or less than before.
    fn compare_handover(&self, meant: &Thread) -> Result<(), TestCaseError> {
        let (before, after) = self.shares();
        let is_meant = |(thread, _): &(Thread, Wanted)| thread.id == meant.id;
        let Some((thread, asked)) = self.concluded().into_iter().find(is_meant) else {
            prop_assert_eq!(before, after, "without an answer nothing changes hands");
            return Ok(());
        };
        let (by, wanted) = (thread.opened_by.as_str(), wanted(&asked));
        let left = without(before.clone(), &wanted, |holder| holder == asked.holder.as_str());
        prop_assert_eq!(of_others(left.clone(), by), of_others(after.clone(), by));
        let third = |hold: &&Held| hold.holder != asked.holder.as_str();
        let stops = |hold: &Held| is_in_the_way(hold, by, &wanted, false);
        let is_free = !self.before.iter().filter(third).any(stops);
        let has_it = wanted.is_subset(&alone(&after, by));
        prop_assert!(!has_it || is_free, "{by} has what a third agent holds");
        let (mut expected, mut lasts) = (all_of(&before, by), lasting(&self.before, by));
        if has_it {
            expected.extend(wanted.iter().cloned());
            lasts.extend(wanted);
        }
        prop_assert_eq!(expected, all_of(&after, by));
        if !asked.through_hooks {
            let left = lasting(&self.after, by);
            prop_assert_eq!(lasts, left, "what the turn of {} does not end", by);
        }
        Ok(())
    }

    /// Lists the requests that this act has ended.
    fn concluded(&self) -> Vec<(Thread, Wanted)> {
        let was_open = |thread: &Thread| {
            self.threads_before.iter().any(|it| it.id == thread.id && it.open().is_some())
        };
        let over = self.threads_after.iter().filter(|it| it.open().is_none() && was_open(it));
        over.map(|thread| (thread.clone(), thread.asked.clone().unwrap())).collect()
    }

    /// 8/RELEASED-IS-NOT-GRANTED: the asker is told that it got what it asked for exactly if it has
    /// all of it, alone and everywhere. A wider request of its own may have brought it that.
    fn compare_outcomes(&self, ledger: &MemoryLedger) -> Result<(), TestCaseError> {
        let after = shares(&self.after);
        for (thread, asked) in self.concluded() {
            let outcome = asked.outcome.as_ref().unwrap();
            let (by, wanted) = (thread.opened_by.as_str(), wanted(&asked));
            let is_granted = wanted.is_subset(&alone(&after, by));
            let status = outcome.status();
            let is_wider = |(it, asked): &(Thread, Wanted)| {
                let is_released = asked.outcome.as_ref().unwrap().status() == Status::Released;
                it.id != thread.id && it.opened_by == thread.opened_by && is_released
            };
            if status == Status::Released || !self.concluded().iter().any(is_wider) {
                prop_assert_eq!(status == Status::Released, is_granted, "{:?}", outcome);
            }
            let targets = asked.targets();
            let as_asker = Asker::exclusive(&thread.opened_by, ledger.at);
            let conflicts = check(&ledger.documents, &targets, as_asker, ledger.case).unwrap();
            let is_blocked = self.after.iter().any(|it| is_in_the_way(it, by, &wanted, false));
            prop_assert!(!is_blocked || !conflicts.is_empty(), "it is not free: {outcome:?}");
            if is_blocked && outcome.how != How::Refused {
                prop_assert_eq!(status.given(!conflicts.is_empty()), Status::Held);
            }
        }
        Ok(())
    }
}

/// Lists the paths that a word means in this world, where files are known to be files.
fn meant_by(word: &str) -> Set {
    if FILES.contains(&word) { Set::from([word.to_owned()]) } else { meant(word) }
}

fn wanted(asked: &Wanted) -> Set {
    asked.patterns.iter().flat_map(|pattern| meant_by(&pattern.shown())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// 8/TWO-WORKTREES, 8/SHARED-IS-SHARED, 8/REST-STAYS, 8/RELEASED-IS-NOT-GRANTED: after any
    /// acts, every agent may edit, has, keeps and is told what the model says.
    #[test]
    fn everybody_has_what_the_model_says(acts in acts()) {
        let mut ledger = MemoryLedger::new(Case::Sensitive);
        for (number, (agent, act)) in acts.iter().enumerate() {
            let Some((actor, command)) = command(&ledger, *agent, act) else { continue };
            let (before, threads_before) = (held(&ledger), ledger.threads());
            let asked = Asked {
                actor,
                clock: ledger.at,
                op: OpId::from_bits(number as u128 + 1),
                command,
                gone: Gone::NOTHING,
            };
            let outcome = ledger.transact(&asked, || format!("{number:040x}").parse().unwrap());
            let change = Change {
                actor: asked.actor.to_string(),
                before,
                after: held(&ledger),
                is_refused: !["done", "unchanged"].contains(&outcome),
                threads_before,
                threads_after: ledger.threads(),
            };
            change.compare(act)?;
            change.compare_outcomes(&ledger)?;
            compare_laws(&change.after)?;
            if outcome == "done" {
                compare_edits(&ledger, &change.after)?;
            }
        }
    }
}
