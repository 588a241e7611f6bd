//! The entries that are dated ahead of this clock. They count for nothing, and their hosts have a
//! wrong clock, or this one has.

use crate::app::Ctx;
use crate::app::doctor::{Check, State};
use crate::core::ledger::LedgerName;
use crate::core::time::about;
use crate::store::ledger::history::History;
use crate::store::ledger::recorded_command;

/// The number of newest entries of each ledger that are looked at.
const ENTRIES_MAX: usize = 1_000;

/// An entry that is dated ahead.
struct DatedAhead {
    seconds: u64,
    /// The entry, its ledger and its host, for people.
    named: String,
}

/// Compares this clock with the times of the newest entries, and names the entry that is furthest
/// ahead.
pub(super) fn clock(ctx: &Ctx) -> Check {
    const NAME: &str = "clock";
    let found: Vec<DatedAhead> =
        LedgerName::ALL.into_iter().flat_map(|name| dated_ahead(ctx, name)).collect();
    let Some(DatedAhead { seconds, named }) = found.iter().max_by_key(|entry| entry.seconds) else {
        return Check::ok(NAME, "no entry is ahead of it");
    };
    let others = match found.len() {
        1 => String::new(),
        count => format!(", and so are {} more entries", count - 1),
    };
    let ahead = about(*seconds);
    let text = format!(
        "{named} is dated {ahead} ahead of this clock{others}; it does not count as the time: set \
         the clock of that host, or this one"
    );
    Check::new(NAME, State::Warning, text)
}

/// Finds the entries of a ledger that are dated ahead. Other checks tell what cannot be read.
fn dated_ahead(ctx: &Ctx, name: LedgerName) -> Vec<DatedAhead> {
    let ledger = ctx.ledger(name);
    let tip = ledger.now().ok().and_then(|base| base.id());
    let mut found = Vec::new();
    for (id, entry) in History::from(&ledger, tip).take(ENTRIES_MAX).map_while(Result::ok) {
        let at = entry.message.counters.at;
        let Some(seconds) = ledger.seconds_dated_ahead(at, ctx.clock()) else { continue };
        let base = ledger.at(Some(id)).ok();
        let recorded = base.and_then(|base| recorded_command(&entry, &base).ok());
        let host = recorded.as_ref().and_then(|command| command["host"].as_str());
        let host = host.map(|host| format!(" by host '{}'", host.escape_debug()));
        let host = host.unwrap_or_default();
        found
            .push(DatedAhead { seconds, named: format!("entry {} of '{name}'{host}", id.short()) });
    }
    found
}
