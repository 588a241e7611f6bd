//! Random sequences of commands, and a ledger in memory to run them on.
//!
//! A scenario runs on the memory ledger alone (`laws.rs`, many of them) and beside the git ledger
//! (`model.rs`), which must agree with it document by document.

pub(crate) mod negotiation;

use std::collections::BTreeMap;

use git_coord::core::clock::{self, Leap};
use git_coord::core::command::{Command, decide};
use git_coord::core::decision::{Decide, Env, No, RULES};
use git_coord::core::documents::{Key, apply};
use git_coord::core::event::Event;
use git_coord::core::ids::{AgentName, EntryName, HoldId, LockName, OpId, TicketId};
use git_coord::core::ledger::LedgerName;
use git_coord::core::pattern::{Case, Pattern};
use git_coord::core::place::Skew;
use git_coord::core::reservation::paths::PathFacts;
use git_coord::core::reservation::process::{EndedWith, Gone, GoneHold, Process};
use git_coord::core::reservation::release::Release;
use git_coord::core::reservation::renew::Renew;
use git_coord::core::reservation::reserve::{Reserve, Scope};
use git_coord::core::reservation::select::Selection;
use git_coord::core::reservation::sweep::Sweep;
use git_coord::core::reservation::transfer::Transfer;
use git_coord::core::reservation::wait::{Leave, Wait};
use git_coord::core::reservation::{About, Mode, Via, index, tickets};
use git_coord::core::rollback::Rollback;
use git_coord::core::text::Line;
use git_coord::core::time::{Timestamp, Ttl};
use proptest::prelude::*;

/// A session, two of its subagents, and strangers.
const AGENTS: [&str; 5] = ["ann", "ann/x", "ann/y", "bob", "cid"];

/// Patterns that relate in every way: equal, inside, overlapping, disjoint.
pub(crate) const PATTERNS: [&str; 18] = [
    "src",
    "src/**",
    "src/a",
    "src/a/b",
    "src/*",
    "src/*/b",
    "src/a*",
    "**/b",
    "*.md",
    "docs",
    "docs/*.md",
    "**",
    "[ad]*",
    "src/[a]",
    "docs/x.md",
    "new",
    "new/b",
    "new/*",
];

/// The patterns that name a file.
const FILES: [&str; 2] = ["src/a/b", "docs/x.md"];

/// The patterns that name a path which does not exist.
const NEW: [&str; 2] = ["new", "new/b"];

/// Returns the facts about patterns.
pub(crate) fn facts(patterns: &[Pattern]) -> PathFacts {
    let known = |names: &[&str]| -> Vec<Pattern> {
        let is_known = |pattern: &&Pattern| names.contains(&pattern.shown().as_str());
        patterns.iter().filter(is_known).cloned().collect()
    };
    PathFacts { files: known(&FILES), new: known(&NEW), ..PathFacts::NONE }
}

/// The outside fact that no process and no session is known to have ended.
static NOBODY: Gone = Gone::NOTHING;

/// Locks that are held beside the paths. One of them is spelled like a path.
const LOCKS: [&str; 2] = ["docs", "port 8080"];

/// One act.
#[derive(Clone, Debug)]
pub(crate) enum Deed {
    Reserve {
        patterns: Vec<usize>,
        locks: Vec<usize>,
        shared: bool,
        ttl: u64,
        each: bool,
        request: Option<u8>,
        process: Option<u8>,
    },
    /// Uses one of few tickets, so that some wait already.
    Wait {
        patterns: Vec<usize>,
        locks: Vec<usize>,
        shared: bool,
        ticket: u64,
        seconds: u64,
    },
    Leave {
        ticket: u64,
    },
    Edit {
        pattern: usize,
        ttl: u64,
        worktree: Option<u8>,
    },
    EndTurn,
    RenewMine {
        ttl: u64,
    },
    RenewSome {
        hold: usize,
        ttl: u64,
    },
    ReleaseMine,
    RenewLock {
        lock: usize,
        ttl: u64,
    },
    ReleaseLock {
        lock: usize,
        force: bool,
    },
    ReleasePath {
        pattern: usize,
        force: bool,
    },
    ReleaseSome {
        hold: usize,
        force: bool,
    },
    Transfer {
        to: usize,
        from: usize,
        force: bool,
    },
    Sweep {
        older_than: u64,
    },
    Rollback {
        back: usize,
    },
    Ask {
        pattern: usize,
        holder: Option<usize>,
        urgent: bool,
        through_hooks: bool,
    },
    AskForLock {
        lock: usize,
        through_hooks: bool,
    },
    AskForHold {
        hold: usize,
        through_hooks: bool,
    },
    Answer {
        thread: usize,
        verdict: u8,
    },
    AnswerPath {
        pattern: usize,
    },
    Take {
        thread: usize,
        silent: bool,
    },
    Send {
        to: usize,
        thread: Option<usize>,
    },
    Acknowledge {
        message: usize,
    },
    Prune {
        older_than: u64,
    },
}

/// The actor, and the seconds that pass before.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) agent: usize,
    pub(crate) seconds_later: u64,
    /// Set if all processes and waiters that were ever seen are known to have ended.
    pub(crate) is_alone: bool,
    pub(crate) deed: Deed,
}

fn deed() -> impl Strategy<Value = Deed> {
    let pattern = 0..PATTERNS.len();
    let lock = 0..LOCKS.len();
    let agent = 0..AGENTS.len();
    let ttl = prop_oneof![Just(5_u64), Just(60), Just(600)];
    prop_oneof![
        8 => (
            prop::collection::vec(pattern.clone(), 0..3),
            prop::collection::vec(lock.clone(), 0..2),
            any::<bool>(),
            ttl.clone(),
            any::<bool>(),
            prop::option::weighted(0.2, 0_u8..3),
            prop::option::weighted(0.2, 0_u8..2),
        )
            .prop_map(|(patterns, locks, shared, ttl, each, request, process)| Deed::Reserve {
                patterns, locks, shared, ttl, each, request, process,
            }),
        5 => (
            prop::collection::vec(pattern.clone(), 0..2),
            prop::collection::vec(lock.clone(), 0..2),
            any::<bool>(),
            0_u64..6,
            1_u64..120,
        )
            .prop_map(|(patterns, locks, shared, ticket, seconds)| Deed::Wait {
                patterns, locks, shared, ticket, seconds,
            }),
        1 => (0_u64..6).prop_map(|ticket| Deed::Leave { ticket }),
        3 => (pattern.clone(), ttl.clone(), prop::option::of(0_u8..2))
            .prop_map(|(pattern, ttl, worktree)| Deed::Edit { pattern, ttl, worktree }),
        1 => Just(Deed::EndTurn),
        1 => ttl.clone().prop_map(|ttl| Deed::RenewMine { ttl }),
        1 => (0_usize..8, ttl.clone()).prop_map(|(hold, ttl)| Deed::RenewSome { hold, ttl }),
        1 => (lock.clone(), ttl).prop_map(|(lock, ttl)| Deed::RenewLock { lock, ttl }),
        1 => (lock, any::<bool>()).prop_map(|(lock, force)| Deed::ReleaseLock { lock, force }),
        1 => Just(Deed::ReleaseMine),
        1 => (pattern, any::<bool>())
            .prop_map(|(pattern, force)| Deed::ReleasePath { pattern, force }),
        1 => (0_usize..8, any::<bool>())
            .prop_map(|(hold, force)| Deed::ReleaseSome { hold, force }),
        1 => (agent.clone(), agent, any::<bool>())
            .prop_map(|(to, from, force)| Deed::Transfer { to, from, force }),
        1 => prop_oneof![Just(0_u64), Just(30)].prop_map(|older_than| Deed::Sweep { older_than }),
        1 => (1_usize..6).prop_map(|back| Deed::Rollback { back }),
        8 => negotiation(),
    ]
}

fn negotiation() -> impl Strategy<Value = Deed> {
    let pattern = 0..PATTERNS.len();
    let agent = 0..AGENTS.len();
    let thread = 0_usize..4;
    prop_oneof![
        4 => (pattern.clone(), prop::option::of(agent.clone()), any::<bool>(), any::<bool>())
            .prop_map(|(pattern, holder, urgent, through_hooks)| Deed::Ask {
                pattern, holder, urgent, through_hooks,
            }),
        2 => (0_usize..LOCKS.len(), any::<bool>())
            .prop_map(|(lock, through_hooks)| Deed::AskForLock { lock, through_hooks }),
        3 => (0_usize..8, any::<bool>())
            .prop_map(|(hold, through_hooks)| Deed::AskForHold { hold, through_hooks }),
        4 => (thread.clone(), 0_u8..6)
            .prop_map(|(thread, verdict)| Deed::Answer { thread, verdict }),
        1 => pattern.prop_map(|pattern| Deed::AnswerPath { pattern }),
        4 => (thread.clone(), any::<bool>())
            .prop_map(|(thread, silent)| Deed::Take { thread, silent }),
        1 => (agent, prop::option::of(thread))
            .prop_map(|(to, thread)| Deed::Send { to, thread }),
        1 => (0_usize..8).prop_map(|message| Deed::Acknowledge { message }),
        1 => prop_oneof![Just(1_u64), Just(60)].prop_map(|older_than| Deed::Prune { older_than }),
    ]
}

/// Generates a scenario of up to `length` steps.
pub(crate) fn steps(length: usize) -> impl Strategy<Value = Vec<Step>> {
    let later = prop_oneof![3 => Just(0_u64), 1 => 1_u64..90];
    let is_alone = prop::bool::weighted(0.1);
    let step = (0..AGENTS.len(), later, is_alone, deed()).prop_map(
        |(agent, seconds_later, is_alone, deed)| Step { agent, seconds_later, is_alone, deed },
    );
    prop::collection::vec(step, 1..length)
}

/// A ledger in a map.
pub(crate) struct MemoryLedger {
    pub(crate) documents: BTreeMap<Key, Vec<u8>>,
    pub(crate) events: Vec<Event>,
    pub(crate) case: Case,
    /// The state after each entry, by the entry's name.
    pub(crate) history: Vec<(EntryName, BTreeMap<Key, Vec<u8>>)>,
    /// The time of each entry's decision.
    pub(crate) times: Vec<Timestamp>,
    leap: Option<Leap>,
    /// The agent of each entry.
    actors: Vec<AgentName>,
    pub(crate) at: Timestamp,
    host: Line,
    fence: u64,
    ops: u128,
}

/// The request of a step, ready to be decided anywhere.
pub(crate) struct Asked {
    pub(crate) actor: AgentName,
    pub(crate) clock: Timestamp,
    pub(crate) op: OpId,
    pub(crate) command: Command,
    pub(crate) gone: Gone,
}

fn line(text: &str) -> Line {
    Line::new(text).unwrap()
}

fn pattern(index: usize) -> Pattern {
    Pattern::canonical(PATTERNS[index].as_bytes()).unwrap()
}

fn lock(index: usize) -> LockName {
    LOCKS[index].parse().unwrap()
}

fn agent(index: usize) -> AgentName {
    AGENTS[index].parse().unwrap()
}

impl MemoryLedger {
    pub(crate) fn new(case: Case) -> MemoryLedger {
        MemoryLedger {
            documents: BTreeMap::new(),
            events: Vec::new(),
            case,
            history: Vec::new(),
            times: Vec::new(),
            leap: None,
            actors: Vec::new(),
            at: "2026-01-05T10:00:00Z".parse().unwrap(),
            host: line("host"),
            fence: 0,
            ops: 0,
        }
    }

    /// Returns the request of a step in the current state.
    pub(crate) fn ask(&mut self, step: &Step) -> Option<Asked> {
        self.ops += 1;
        let clock = self.at.plus_seconds(step.seconds_later);
        let command = match self.negotiating(&step.deed) {
            Some(command) => command,
            None => self.command(&step.deed)?,
        };
        let actor = self.meant(&step.deed).unwrap_or_else(|| agent(step.agent));
        let gone = if step.is_alone { self.everybody_gone() } else { Gone::NOTHING };
        Some(Asked { actor, clock, op: OpId::from_bits(self.ops), command, gone })
    }

    /// Lists every hold that ends with a process or a session, and every ticket.
    fn everybody_gone(&self) -> Gone {
        let holds = index::all(&self.documents).unwrap();
        let holds = holds.into_iter().filter_map(|hold| {
            let ends_with_turn = hold.about.via != Via::Command;
            let with = match hold.process {
                Some(process) => EndedWith::Process { process },
                None if ends_with_turn => EndedWith::Session { until: hold.expires_at },
                None => return None,
            };
            Some(GoneHold { id: hold.id, with })
        });
        let tickets = tickets::all(&self.documents).unwrap();
        Gone { holds: holds.collect(), tickets: tickets.into_iter().map(|it| it.id).collect() }
    }

    fn command(&self, deed: &Deed) -> Option<Command> {
        let ttl = |seconds: u64| Ttl::from_seconds(seconds).unwrap();
        let force = |force: bool| force.then(|| line("by force"));
        Some(match deed {
            Deed::Reserve { patterns, locks, shared, ttl: seconds, each, request, process } => {
                Reserve {
                    ttl: ttl(*seconds),
                    scope: if *each { Scope::Each } else { Scope::All },
                    request_id: request.map(|number| format!("r{number}").parse().unwrap()),
                    process: process.map(running),
                    ..reserve(patterns, locks, *shared)
                }
                .into()
            }
            Deed::Wait { patterns, locks, shared, ticket, seconds } => {
                let ticket = Some(TicketId::from_bits(*ticket));
                let wait = Some(Wait { ticket, seconds: *seconds, within: Vec::new() });
                Reserve { wait, ..reserve(patterns, locks, *shared) }.into()
            }
            Deed::Leave { ticket } => Leave { ticket: TicketId::from_bits(*ticket) }.into(),
            Deed::Edit { pattern: index, ttl: seconds, worktree } => {
                edit(pattern(*index), ttl(*seconds), *worktree).into()
            }
            Deed::EndTurn => {
                let via = Some(Via::Hook);
                let which = Selection { mine: true, alone: true, via, ..Selection::default() };
                Release { which, force: None }.into()
            }
            Deed::RenewMine { ttl: seconds } => {
                let which = Selection { mine: true, ..Selection::default() };
                Renew { which, ttl: ttl(*seconds) }.into()
            }
            Deed::RenewSome { hold, ttl: seconds } => {
                Renew { which: self.named(*hold)?, ttl: ttl(*seconds) }.into()
            }
            Deed::RenewLock { lock: index, ttl: seconds } => {
                let which = Selection { locks: vec![lock(*index)], ..Selection::default() };
                Renew { which, ttl: ttl(*seconds) }.into()
            }
            Deed::ReleaseLock { lock: index, force: forced } => {
                let which = Selection { locks: vec![lock(*index)], ..Selection::default() };
                Release { which, force: force(*forced) }.into()
            }
            Deed::ReleaseMine => {
                let which = Selection { mine: true, ..Selection::default() };
                Release { which, force: None }.into()
            }
            Deed::ReleasePath { pattern: index, force: forced } => {
                let paths = vec![pattern(*index)];
                let which = Selection { facts: facts(&paths), paths, ..Selection::default() };
                Release { which, force: force(*forced) }.into()
            }
            Deed::ReleaseSome { hold, force: forced } => {
                Release { which: self.named(*hold)?, force: force(*forced) }.into()
            }
            Deed::Transfer { to, from, force: forced } => Transfer {
                from: agent(*from),
                to: agent(*to),
                which: Selection::default(),
                force: force(*forced),
            }
            .into(),
            Deed::Sweep { older_than } => Sweep { older_than_seconds: *older_than }.into(),
            Deed::Rollback { back } => {
                let at = self.history.len().checked_sub(*back + 1)?;
                let to = self.history[at].0.clone();
                Rollback { to, reason: line("again"), expect: None }.into()
            }
            _ => return None,
        })
    }

    /// Selects one of the holds by its id.
    fn named(&self, number: usize) -> Option<Selection> {
        let holds = index::all(&self.documents).unwrap();
        let hold = holds.get(number % holds.len().max(1))?;
        Some(Selection { ids: vec![prefix(&hold.id)], ..Selection::default() })
    }

    /// Takes a decision on the current state, and writes nothing.
    pub(crate) fn tried<C: Decide>(&self, actor: &AgentName, command: &C) -> Result<C::Answer, No> {
        let op = OpId::from_bits(u128::MAX);
        decide(command, &self.documents, self.env(actor, &op)).map(|decided| decided.answer)
    }

    fn env<'e>(&'e self, actor: &'e AgentName, op: &'e OpId) -> Env<'e> {
        Env {
            ledger: LedgerName::Reservations,
            rules: RULES,
            actor,
            host: &self.host,
            now: self.at,
            before: self.times.last().copied(),
            leap: clock::leap(self.at, self.times.last().copied().zip(Some(self.leap))),
            skew: Skew::default(),
            before_by: self.actors.last(),
            asked_at: None,
            last: None,
            place: None,
            op,
            fence: self.fence,
            case: self.case,
            gone: &NOBODY,
            earlier: None,
        }
    }

    /// Decides, and returns the outcome as a word.
    pub(crate) fn transact(
        &mut self,
        asked: &Asked,
        entry_name: impl FnOnce() -> EntryName,
    ) -> &'static str {
        let earlier = asked.command.reads_entry().and_then(|name| {
            self.history.iter().find(|(entry, _)| entry == name).map(|(_, documents)| documents)
        });
        let now = asked.clock.max(self.at);
        let leap = clock::leap(now, self.times.last().copied().zip(Some(self.leap)));
        let env = Env {
            now,
            leap,
            gone: &asked.gone,
            earlier: earlier.map(|documents| documents as _),
            ..self.env(&asked.actor, &asked.op)
        };
        let changes = match decide(&asked.command, &self.documents, env) {
            Ok(decided) => decided.changes,
            Err(No::Refused(refusal)) => return refusal.code(),
            Err(No::Unreadable(error)) => panic!("{error}"),
        };
        let Some(changes) = changes else { return "unchanged" };
        apply(&mut self.documents, &changes.edits);
        self.events.extend(changes.events);
        self.fence = changes.fence;
        (self.at, self.leap) = (now, leap);
        self.times.push(now);
        self.actors.push(asked.actor.clone());
        self.history.push((entry_name(), self.documents.clone()));
        "done"
    }
}

/// Builds a process with this number.
fn running(number: u8) -> Process {
    let started = Some(line("then"));
    Process { pid: number.into(), host: line("host"), started, boot: None, namespace: None }
}

/// Builds the request of a command, for ten minutes.
fn reserve(patterns: &[usize], locks: &[usize], shared: bool) -> Reserve {
    let patterns: Vec<Pattern> = patterns.iter().map(|index| pattern(*index)).collect();
    Reserve {
        facts: facts(&patterns),
        patterns,
        locks: locks.iter().map(|index| lock(*index)).collect(),
        mode: if shared { Mode::Shared } else { Mode::Exclusive },
        ttl: Ttl::from_seconds(600).unwrap(),
        about: About {
            reason: None,
            task: None,
            run: None,
            via: Via::Command,
            worktree: None,
            place: None,
        },
        scope: Scope::All,
        process: None,
        shell: None,
        wait: None,
        request_id: None,
        with_edit: false,
    }
}

/// Builds the request of an edit hook.
pub(crate) fn edit(path: Pattern, ttl: Ttl, worktree: Option<u8>) -> Reserve {
    Reserve {
        facts: PathFacts { files: vec![path.clone()], ..PathFacts::NONE },
        patterns: vec![path],
        locks: Vec::new(),
        mode: Mode::Exclusive,
        ttl,
        about: About {
            reason: None,
            task: None,
            run: None,
            via: Via::Hook,
            worktree: worktree.map(|number| line(&format!("tree{number}"))),
            place: None,
        },
        scope: Scope::All,
        process: None,
        shell: None,
        wait: None,
        request_id: None,
        with_edit: true,
    }
}

/// Builds the request of the first agent for one pattern.
pub(crate) fn reserving(ledger: &mut MemoryLedger, pattern: &str) -> Asked {
    let number = PATTERNS.iter().position(|known| *known == pattern).expect("a known pattern");
    let deed = Deed::Reserve {
        patterns: vec![number],
        locks: Vec::new(),
        shared: false,
        ttl: 600,
        each: false,
        request: None,
        process: None,
    };
    ledger
        .ask(&Step { agent: 0, seconds_later: 0, is_alone: false, deed })
        .expect("it can always be asked for")
}

/// Builds the request to undo the last `back` entries.
pub(crate) fn rollback_by(ledger: &mut MemoryLedger, back: usize) -> Asked {
    let deed = Deed::Rollback { back };
    let step = Step { agent: 0, seconds_later: 0, is_alone: false, deed };
    ledger.ask(&step).expect("there are that many entries")
}

fn prefix(id: &HoldId) -> git_coord::core::ids::HoldIdPrefix {
    id.as_str().parse().unwrap()
}
