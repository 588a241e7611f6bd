//! Messages between agents in a scenario.

use git_coord::core::command::Command;
use git_coord::core::ids::AgentName;
use git_coord::core::negotiation::acknowledge::Acknowledge;
use git_coord::core::negotiation::answer::{Answer, Verdict};
use git_coord::core::negotiation::ask::Ask;
use git_coord::core::negotiation::find::Which;
use git_coord::core::negotiation::ids::ThreadPrefix;
use git_coord::core::negotiation::prune::Prune;
use git_coord::core::negotiation::send::Send;
use git_coord::core::negotiation::standing::Evidence;
use git_coord::core::negotiation::take::Take;
use git_coord::core::negotiation::{MessageKind, Thread, thread_index};
use git_coord::core::pattern::Pattern;
use git_coord::core::reservation::{Hold, index};
use git_coord::core::time::{Timestamp, Ttl};

use super::{Deed, MemoryLedger, agent, facts, line, lock, pattern, prefix};

impl MemoryLedger {
    /// Lists the threads of the current state, in the order of their names.
    pub(crate) fn threads(&self) -> Vec<Thread> {
        let ids = thread_index::all(&self.documents).unwrap();
        ids.iter().map(|id| thread_index::thread(&self.documents, id).unwrap().unwrap()).collect()
    }

    fn thread(&self, number: usize) -> Option<Thread> {
        let threads = self.threads();
        threads.get(number % threads.len().max(1)).cloned()
    }

    fn hold(&self, number: usize) -> Option<Hold> {
        let holds = index::all(&self.documents).unwrap();
        holds.get(number % holds.len().max(1)).cloned()
    }

    /// Returns the command of a negotiation.
    pub(super) fn negotiating(&self, deed: &Deed) -> Option<Command> {
        Some(match deed {
            Deed::Ask { pattern: index, holder, urgent, through_hooks } => {
                let ask = asking(vec![pattern(*index)], *through_hooks);
                Ask { holder: holder.map(agent), urgent: *urgent, ..ask }.into()
            }
            Deed::AskForLock { lock: index, through_hooks } => {
                Ask { locks: vec![lock(*index)], ..asking(Vec::new(), *through_hooks) }.into()
            }
            Deed::AskForHold { hold, through_hooks } => {
                let id = self.hold(*hold)?.id;
                Ask { hold: Some(prefix(&id)), ..asking(Vec::new(), *through_hooks) }.into()
            }
            Deed::Answer { thread, verdict } => {
                let which = by_name(&self.thread(*thread)?);
                Answer { which, verdict: verdict_of(*verdict), whole: false }.into()
            }
            Deed::AnswerPath { pattern: index } => {
                let which = Which { patterns: vec![pattern(*index)], ..nothing() };
                Answer { which, verdict: Verdict::Release, whole: false }.into()
            }
            Deed::Take { thread, silent } => {
                let thread = self.thread(*thread)?;
                let evidence = thread.asked.as_ref().filter(|_| *silent).map(|asked| Evidence {
                    agent: asked.holder.clone(),
                    host: line("host"),
                    last_seen: Timestamp::from_millis(0),
                    busy_since: None,
                    runs: false,
                    place: None,
                    observed_at: None,
                    ended: false,
                });
                Take { which: by_name(&thread), reason: line("waited enough"), evidence }.into()
            }
            Deed::Send { to, thread } => {
                let thread = thread.and_then(|number| self.thread(number));
                Send {
                    to: vec![agent(*to)],
                    kind: MessageKind::Note,
                    subject: line("a word"),
                    body: thread.is_none().then(|| "with\nmore".parse().unwrap()),
                    thread: thread.map(|thread| thread.id.as_str().parse().unwrap()),
                    urgent: false,
                    ack: true,
                    patterns: Vec::new(),
                }
                .into()
            }
            Deed::Acknowledge { message } => {
                let (_, id) = self.unread(*message)?;
                Acknowledge { messages: vec![id.parse().unwrap()] }.into()
            }
            Deed::Prune { older_than } => Prune { older_than_seconds: *older_than }.into(),
            _ => return None,
        })
    }

    /// Chooses the agent that most likely succeeds: a scenario in which nobody may do what it does
    /// shows little.
    pub(super) fn meant(&self, deed: &Deed) -> Option<AgentName> {
        match deed {
            Deed::Answer { thread, verdict } if *verdict < 5 => {
                Some(self.thread(*thread)?.asked?.holder)
            }
            Deed::Take { thread, .. } => Some(self.thread(*thread)?.opened_by),
            Deed::Acknowledge { message } => self.unread(*message)?.0.parse().ok(),
            _ => None,
        }
    }

    /// Finds a recipient and a message that it has not acknowledged.
    fn unread(&self, number: usize) -> Option<(String, String)> {
        let unread = unread(self);
        unread.get(number % unread.len().max(1)).cloned()
    }
}

/// Lists the recipients and messages that were not acknowledged.
pub(crate) fn unread(ledger: &MemoryLedger) -> Vec<(String, String)> {
    let below = ledger.documents.keys().filter_map(|key| key.as_str().strip_prefix("unread/"));
    let pair = |path: &str| {
        let parts: Vec<&str> = path.split('/').collect();
        let (owner, rest) = parts.split_at(parts.len() - 2);
        let owner: Vec<&str> = owner.iter().map(|part| part.trim_start_matches('+')).collect();
        (owner.join("/"), rest[1].to_owned())
    };
    below.map(pair).collect()
}

fn asking(patterns: Vec<Pattern>, through_hooks: bool) -> Ask {
    Ask {
        hold: None,
        facts: facts(&patterns),
        patterns,
        locks: Vec::new(),
        holder: None,
        reason: line("I need it"),
        urgent: false,
        ttl: Ttl::from_seconds(60).unwrap(),
        worktree: None,
        through_hooks,
    }
}

fn by_name(thread: &Thread) -> Which {
    let name: ThreadPrefix = thread.id.as_str().parse().unwrap();
    Which { thread: Some(name), ..nothing() }
}

fn nothing() -> Which {
    Which { thread: None, patterns: Vec::new(), locks: Vec::new() }
}

fn verdict_of(number: u8) -> Verdict {
    match number {
        3 => Verdict::Defer { seconds: 120, reason: line("not yet") },
        4 => Verdict::Refuse { reason: line("mine") },
        _ => Verdict::Release,
    }
}
