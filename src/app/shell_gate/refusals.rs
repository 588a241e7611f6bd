//! The refusal of a command: whose work it would hit, and what to run in its place.

use super::others::Work;
use super::{Hit, How, Refusal, typed};
use crate::app::Ctx;
use crate::app::next::{can_be_typed, command};
use crate::core::ownership::turn::Turn;
use crate::core::shell::Simple;
use crate::core::shell::effect::Effect;
use crate::core::shell::verdict::{Change, Refused};
use crate::core::text::WHY;

/// The largest number of own paths that are spelled out.
const OWN_MAX: usize = 20;
/// The largest number of paths in a suggestion to take them over.
const ADOPT_MAX: usize = 5;

/// Refuses a command that would hit work of others in a work tree.
pub(super) fn refusal(
    simple: &Simple,
    effect: &Effect,
    refused: &Refused<'_>,
    work: &Work,
    ctx: &Ctx,
) -> Refusal {
    let changed = refused.changes.iter().map(|change| Hit {
        path: String::from_utf8_lossy(&change.path).into_owned(),
        agent: change.agent.clone(),
        since: change.since,
        how: change.state.map_or(How::Held, |_| How::Changed(change.turn)),
    });
    let held = refused.holds.iter().map(|hold| Hit {
        path: hold.target.shown(),
        agent: hold.holder.clone(),
        since: hold.granted_at,
        how: How::Held,
    });
    let present = refused.present.iter().map(|present| Hit {
        path: String::new(),
        agent: present.agent.clone(),
        since: present.seen_at,
        how: How::Present,
    });
    Refusal {
        command: typed(simple),
        does: effect.rule.does(),
        hits: changed.chain(held).chain(present).collect(),
        instead: instead(effect, &work.own),
        ask: asks(refused, ctx),
        adopt: adopts(refused),
        at: work.at,
    }
}

/// Suggests commands that leave the work of others alone.
fn instead(effect: &Effect, own: &[Vec<u8>]) -> Vec<Vec<String>> {
    let words =
        |words: &[&str]| -> Vec<String> { words.iter().map(|&word| word.to_owned()).collect() };
    if effect.rule.wants_own_tree() {
        let branch = effect.tree_words.last().filter(|branch| can_be_typed(branch));
        let Some(branch) = branch else { return Vec::new() };
        let name = branch.rsplit('/').next().unwrap_or(branch);
        let add =
            [words(&["git", "worktree", "add", &format!("../{name}")]), effect.tree_words.clone()];
        return vec![add.concat()];
    }
    let Some(start) = effect.rule.instead() else { return Vec::new() };
    let typed =
        |path: &Vec<u8>| String::from_utf8(path.clone()).ok().filter(|path| can_be_typed(path));
    let mine: Vec<String> =
        own.iter().filter_map(typed).take(OWN_MAX).map(|path| format!(":/{path}")).collect();
    if mine.is_empty() { Vec::new() } else { vec![[words(start), mine].concat()] }
}

/// Suggests to take changes over that nobody works on any more. A held file is asked for instead.
fn adopts(refused: &Refused<'_>) -> Vec<Vec<String>> {
    let is_idle = |change: &&&Change| !change.is_held && change.turn != Turn::Running;
    let idle: Vec<&&Change> = refused.changes.iter().filter(is_idle).collect();
    if idle.len() < refused.changes.len() || !refused.holds.is_empty() {
        return Vec::new();
    }
    let typed = |change: &&&Change| {
        let path = std::str::from_utf8(&change.path).ok().filter(|path| can_be_typed(path))?;
        Some(format!(":/{path}"))
    };
    let paths: Vec<String> = idle.iter().filter_map(typed).take(ADOPT_MAX).collect();
    if paths.is_empty() {
        return Vec::new();
    }
    let words = ["adopt", "--reason", WHY, "--"].map(str::to_owned);
    let words: Vec<String> = words.into_iter().chain(paths).collect();
    vec![command(&words.iter().map(String::as_str).collect::<Vec<_>>())]
}

/// Suggests to ask those who hold something: they work on it now.
fn asks(refused: &Refused<'_>, ctx: &Ctx) -> Vec<Vec<String>> {
    if !ctx.settings().negotiation {
        return Vec::new();
    }
    let held = refused.changes.iter().find(|change| change.is_held);
    let path = held.and_then(|change| {
        let path = std::str::from_utf8(&change.path).ok().filter(|path| can_be_typed(path))?;
        Some((&change.agent, format!(":/{path}")))
    });
    let by_command = refused.holds.first().map(|hold| (&hold.holder, hold.id.to_string()));
    let ask = path.or(by_command).map(|(agent, what)| {
        command(&["ask", &format!("--holder={agent}"), "--reason", WHY, "--", &what])
    });
    ask.into_iter().collect()
}
