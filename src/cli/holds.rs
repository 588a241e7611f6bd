//! Holds as a table, and the target of an event.

use serde_json::{Map, Value};

use super::color::Slot;
use super::layout::Cell;
use super::term::Ui;
use crate::core::reservation::Hold;
use crate::core::text::shown;
use crate::core::time::{Timestamp, relative};

/// Finds the target of a hold in the data of an event.
pub(crate) fn event_target(data: &Map<String, Value>) -> Option<String> {
    let text = |name: &str| data.get(name).and_then(Value::as_str);
    let lock = || text("lock").map(|name| format!("lock {name}"));
    text("pattern").map(str::to_owned).or_else(lock)
}

/// Prints a table of holds: id, target, holder, mode, time left, reason.
pub(crate) fn print_table<'h>(
    ui: &mut Ui,
    holds: impl IntoIterator<Item = &'h Hold>,
    now: Timestamp,
) -> std::io::Result<()> {
    ui.table(holds.into_iter().map(|hold| row(hold, now)))
}

fn row(hold: &Hold, now: Timestamp) -> Vec<Cell> {
    let (expires, now_seconds) = (hold.expires_at.as_seconds(), now.as_seconds());
    let ends = if hold.is_live(now) {
        relative(expires, now_seconds)
    } else {
        format!("expired {}", relative(expires, now_seconds))
    };
    let mut why =
        hold.about.reason.as_ref().map_or(String::new(), |reason| shown(reason.as_str()).into());
    if let Some(task) = &hold.about.task {
        why.push_str(&format!(" [{}]", shown(task.as_str())));
    }
    vec![
        Cell::painted(Slot::Id, hold.id.as_str()),
        Cell::painted(Slot::Path, shown(&hold.target.shown())),
        Cell::painted(Slot::Holder, hold.holder.as_str()),
        Cell::plain(hold.mode.name()),
        Cell::plain(ends),
        Cell::painted(Slot::Dim, why.trim()),
    ]
}
