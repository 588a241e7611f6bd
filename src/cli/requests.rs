//! Requests, threads and messages as JSON and as text.

use serde_json::{Map, Value, json};

use super::color::Slot;
use super::holds::fields;
use super::term::Ui;
use crate::app::negotiation::Request;
use crate::app::next::{command as next, in_shell};
use crate::core::damage::{Damage, Found};
use crate::core::negotiation::ids::ThreadId;
use crate::core::negotiation::inbox::Delivered;
use crate::core::negotiation::standing::Stage;
use crate::core::text::shown;
use crate::core::time::{Timestamp, about, relative};

/// How much of a thread's name is enough to tell it from others.
const SHORT: usize = 8;

/// Open requests of one kind that one answer tells of.
pub(crate) const REQUESTS_MAX: usize = 20;
/// Bytes that they have together, unless the first alone has more.
const REQUESTS_BYTES_MAX: usize = 12 * 1024;

/// The beginning of a thread's name, for people.
pub(crate) fn short(id: &ThreadId) -> &str {
    &id.as_str()[..SHORT]
}

/// A request for programs; only what a thread has if nothing is asked for in it.
pub(crate) fn request_json(request: &Request) -> Map<String, Value> {
    let thread = &request.thread;
    let mut answer = fields([("thread", json!(thread.id)), ("opened_at", json!(thread.opened_at))]);
    let Some((asked, standing)) = request.asked() else {
        answer.insert("opened_by".to_owned(), json!(thread.opened_by));
        return answer;
    };
    answer.extend(fields([
        ("status", json!(standing.status)),
        ("asker", json!(thread.opened_by)),
        ("holder", json!(asked.holder)),
        ("patterns", json!(asked.patterns)),
        ("reason", json!(asked.reason)),
        ("urgent", json!(asked.urgent)),
        ("pinned", json!(asked.pinned)),
        ("window_ends_at", json!(asked.window_ends_at)),
        ("can_take", json!(standing.can_take)),
        ("age_seconds", json!(request.now.seconds_since(thread.opened_at))),
    ]));
    let mut add = |name: &str, value: Option<Value>| {
        answer.extend(value.map(|value| (name.to_owned(), value)));
    };
    add("stage", standing.stage.map(|stage| json!(stage)));
    add("deferred", asked.deferred.as_ref().map(|deferred| json!(deferred)));
    add("outcome", asked.outcome.as_ref().map(|outcome| json!(outcome)));
    answer
}

/// Requests for programs, as many as an answer of bounded length has room for; how many there are
/// is told beside it.
pub(crate) fn bounded_json<'r>(requests: impl IntoIterator<Item = &'r Request>) -> Value {
    let mut bytes = 0;
    let mut all = Vec::new();
    for request in requests.into_iter().take(REQUESTS_MAX) {
        let request = Value::Object(request_json(request));
        bytes += request.to_string().len();
        if bytes > REQUESTS_BYTES_MAX && !all.is_empty() {
            break;
        }
        all.push(request);
    }
    Value::Array(all)
}

/// One line about a request: who wants what of whom, since when, and where it stands.
pub(crate) fn request_text(ui: &Ui, request: &Request) -> String {
    let thread = &request.thread;
    let name = ui.paint(Slot::Id, short(&thread.id));
    let Some((asked, standing)) = request.asked() else {
        return format!("{name}  messages of {}", thread.opened_by);
    };
    let age = about(request.now.seconds_since(thread.opened_at));
    let urgent = if asked.urgent { ", urgent" } else { "" };
    let what = ui.paint(Slot::Path, &shown(&asked.what()));
    format!(
        "{name}  {} asks {} for {what} since {age}{urgent} ({}): {}",
        thread.opened_by,
        asked.holder,
        stands(request, standing.stage, standing.can_take),
        shown(asked.reason.as_str()),
    )
}

fn stands(request: &Request, stage: Option<Stage>, can_take: bool) -> String {
    let Some((asked, standing)) = request.asked() else { return String::new() };
    if let Some(outcome) = &asked.outcome {
        let when = relative(outcome.at.as_seconds(), request.now.as_seconds());
        return format!("{} by {} {when}", outcome.how.name(), outcome.by);
    }
    let Some(stage) = stage else {
        return "what is asked for has ended, it can be taken".to_owned();
    };
    let ends = relative(asked.window_ends_at.as_seconds(), request.now.as_seconds());
    let window = match (stage, can_take) {
        (Stage::Overdue, _) => format!("overdue, its time ended {ends}"),
        (_, true) => "its holder is silent, it can be taken".to_owned(),
        (Stage::Reminder, _) => format!("its time ends {ends}, soon"),
        _ => format!("its time ends {ends}"),
    };
    format!("{}, {window}", standing.status)
}

/// Adds what could not be read, where there is any.
pub(crate) fn insert_damaged(answer: &mut Map<String, Value>, damaged: &[Damage]) {
    if !damaged.is_empty() {
        answer.insert("damaged".to_owned(), json!(damaged));
    }
}

/// Names what could not be read.
pub(crate) fn warn_of_damage(ui: &mut Ui, damaged: &[Damage]) -> std::io::Result<()> {
    for damage in damaged {
        ui.warn(&format!("damaged: {}: {}", shown(&damage.key), shown(&damage.why)))?;
    }
    if !damaged.is_empty() {
        ui.note(&format!("hint: what to do about it: {}", in_shell(&next(&["doctor"]))))?;
    }
    Ok(())
}

/// What the holder can do about a request, as commands.
pub(crate) fn answers(id: &ThreadId) -> String {
    let release = in_shell(&next(&["answer", short(id), "--release"]));
    format!("{release} | --defer 10m --reason <why> | --refuse --reason <why>")
}

/// What the asker can do about one that has waited for long enough.
pub(crate) fn taking(id: &ThreadId) -> String {
    format!("{} --reason <why>", in_shell(&next(&["take", short(id)])))
}

/// A message for programs.
pub(crate) fn message_json(delivered: &Delivered) -> Value {
    let mut value = match &delivered.message {
        Found::Whole(message) => json!(message),
        Found::Damaged(damage) => json!({ "id": delivered.id, "damaged": damage }),
    };
    value["unread"] = json!(delivered.is_unread);
    match &delivered.body {
        Some(Found::Whole(body)) => value["body"] = json!(body),
        Some(Found::Damaged(damage)) => value["body_damaged"] = json!(damage),
        None => {}
    }
    value
}

/// A message for people, its body below it.
pub(crate) fn print_message(
    ui: &mut Ui,
    delivered: &Delivered,
    now: Timestamp,
) -> std::io::Result<()> {
    let id = ui.paint(Slot::Id, delivered.id.as_str());
    let mark = if delivered.is_unread { "*" } else { " " };
    let message = match &delivered.message {
        Found::Whole(message) => message,
        Found::Damaged(damage) => {
            return ui.line(&format!(
                "{mark} {id}  damaged: {}: {}",
                shown(&damage.key),
                shown(&damage.why)
            ));
        }
    };
    let when = relative(message.at.as_seconds(), now.as_seconds());
    let urgent = if message.urgent { " urgent" } else { "" };
    let thread = short(&message.thread);
    ui.line(&format!(
        "{mark} {id}  {}{urgent} from {} {when}, thread {thread}: {}",
        message.kind.name(),
        ui.paint(Slot::Holder, message.from.as_str()),
        shown(message.subject.as_str()),
    ))?;
    match &delivered.body {
        Some(Found::Whole(body)) => {
            for line in body.lines() {
                ui.line(&format!("    {}", shown(line)))?;
            }
            Ok(())
        }
        Some(Found::Damaged(damage)) => {
            ui.line(&format!("    its text is damaged: {}", shown(&damage.why)))
        }
        None => Ok(()),
    }
}
