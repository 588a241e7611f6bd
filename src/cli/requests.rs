//! Requests, threads and messages as text.

use std::ffi::OsString;

use super::color::Slot;
use super::term::Ui;
use crate::app::error::AppError;
use crate::app::negotiation::What;
use crate::app::negotiation::view::{AskedView, MessageOrDamage, MessageView, RequestView};
use crate::app::next::{command as next, in_shell};
use crate::core::damage::Damage;
use crate::core::ids::{AgentName, LockName};
use crate::core::negotiation::ids::ThreadId;
use crate::core::negotiation::standing::Stage;
use crate::core::text::shown;
use crate::core::time::{Timestamp, about, relative};

// Arguments that several commands share have no doc comment: that of the command is its help.
#[derive(Debug, clap::Args)]
pub(crate) struct RequestArg {
    /// Thread of the request, or a path that it asks for
    #[arg(
        value_name = "THREAD|PATH",
        value_hint = clap::ValueHint::AnyPath,
        required_unless_present = "lock"
    )]
    which: Option<OsString>,

    /// Named lock that the request asks for
    #[arg(long, value_name = "NAME", conflicts_with = "which")]
    lock: Option<LockName>,
}

impl RequestArg {
    pub(crate) fn what(&self) -> Result<What, AppError> {
        What::of(self.which.as_ref(), self.lock.as_ref())
    }
}

/// Describes a request on one line: asker, holder, target, age and state.
pub(crate) fn request_text(ui: &Ui, request: &RequestView, now: Timestamp) -> String {
    let name = ui.paint(Slot::Id, request.thread.short());
    let Some(asked) = &request.asked else {
        let by = request.opened_by.as_ref().map_or("?", AgentName::as_str);
        return format!("{name}  messages of {by}");
    };
    let urgent = if asked.urgent { ", urgent" } else { "" };
    format!(
        "{name}  {} asks {} for {} since {}{urgent} ({}): {}",
        asked.asker,
        asked.holder,
        ui.paint(Slot::Path, &shown(&asked.what())),
        about(asked.age_seconds),
        stands(asked, now),
        shown(asked.reason.as_str()),
    )
}

fn stands(asked: &AskedView, now: Timestamp) -> String {
    let ago = |at: Timestamp| relative(at.as_seconds(), now.as_seconds());
    if let Some(outcome) = &asked.outcome {
        return format!("{} by {} {}", outcome.how.name(), outcome.by, ago(outcome.at));
    }
    let Some(stage) = asked.stage else {
        return "what is asked for has ended, it can be taken".to_owned();
    };
    let ends = ago(asked.window_ends_at);
    let window = match (stage, asked.can_take) {
        (Stage::Overdue, _) => format!("overdue, its time ended {ends}"),
        (_, true) => "its holder is silent, it can be taken".to_owned(),
        (Stage::Reminder, _) => format!("its time ends {ends}, soon"),
        _ => format!("its time ends {ends}"),
    };
    let status = if asked.deferred.is_some() { "deferred" } else { "pending" };
    format!("{status}, {window}")
}

/// Lists the commands by which the holder can answer a request.
pub(crate) fn answers(id: &ThreadId) -> String {
    let release = in_shell(&next(&["answer", id.short(), "--release"]));
    format!("{release} | --defer 10m --reason <why> | --refuse --reason <why>")
}

/// Builds the command by which the asker can take what it has asked for.
pub(crate) fn taking(id: &ThreadId) -> String {
    format!("{} --reason <why>", in_shell(&next(&["take", id.short()])))
}

/// Prints a message, its text below it.
pub(crate) fn print_message(
    ui: &mut Ui,
    view: &MessageView,
    now: Timestamp,
) -> std::io::Result<()> {
    let mark = if view.unread { "*" } else { " " };
    let message = match &view.message {
        MessageOrDamage::Whole(message) => message,
        MessageOrDamage::Damaged { id, damaged: Damage { key, why } } => {
            let id = ui.paint(Slot::Id, id.as_str());
            return ui.line(&format!("{mark} {id}  damaged: {}: {}", shown(key), shown(why)));
        }
    };
    let id = ui.paint(Slot::Id, message.id.as_str());
    let when = relative(message.at.as_seconds(), now.as_seconds());
    let urgent = if message.urgent { " urgent" } else { "" };
    let thread = message.thread.short();
    ui.line(&format!(
        "{mark} {id}  {}{urgent} from {} {when}, thread {thread}: {}",
        message.kind.name(),
        ui.paint(Slot::Holder, message.from.as_str()),
        shown(message.subject.as_str()),
    ))?;
    for line in view.body.iter().flat_map(|body| body.lines()) {
        ui.line(&format!("    {}", shown(line)))?;
    }
    if let Some(damage) = &view.body_damaged {
        ui.line(&format!("    its text is damaged: {}", shown(&damage.why)))?;
    }
    Ok(())
}
