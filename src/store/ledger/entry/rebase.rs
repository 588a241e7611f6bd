//! Rewrites entries for a shorter chain.

use serde_json::{Value, json};

use super::{Entry, NotAnEntry, ROLLBACK_TO, Undoes, line, not, split};
use crate::store::git::object::{Object, ObjectId, ObjectKind};

/// Rewrites an entry's commit onto another parent, and renames the entry that a rollback refers to.
/// Every other byte stays, including those that another version of the program wrote.
pub fn rebase(
    commit: &[u8],
    parent: ObjectId,
    renamed: impl FnOnce(&ObjectId) -> Option<ObjectId>,
) -> Result<Object, NotAnEntry> {
    let entry = Entry::parse(commit)?;
    let text = std::str::from_utf8(commit).map_err(|_| not("it is not UTF-8"))?;
    let (header, message) = text.split_once("\n\n").ok_or_else(|| not("it has no message"))?;
    let mut moved = String::with_capacity(text.len());
    for line in header.lines() {
        match line.strip_prefix("parent ") {
            Some(_) => moved.push_str(&format!("parent {parent}\n")),
            None => moved.push_str(&format!("{line}\n")),
        }
    }
    moved.push('\n');
    match entry.message.undoes {
        None => moved.push_str(message),
        Some(Undoes { to, .. }) => {
            let new = renamed(&to).ok_or_else(|| not("it goes back to what is not kept"))?;
            moved.push_str(&with_target(message, to, new)?);
        }
    }
    Ok(Object { kind: ObjectKind::Commit, bytes: moved.into_bytes() })
}

/// Renames the entry that the message of a rollback refers to.
fn with_target(message: &str, old: ObjectId, new: ObjectId) -> Result<String, NotAnEntry> {
    let (summary, body, trailers) = split(message)?;
    let mut text = format!("{}\n\n", summary.replacen(&old.short(), &new.short(), 1));
    for row in body.lines() {
        let mut value: Value = serde_json::from_str(row).map_err(|_| not("a line is not JSON"))?;
        if value["command"].is_string() {
            let input = value.get_mut("input").and_then(Value::as_object_mut);
            let input = input.ok_or_else(|| not("its command has no input"))?;
            input.insert("to".to_owned(), json!(new.to_string()));
            text.push_str(&line(&value));
        } else {
            text.push_str(&format!("{row}\n"));
        }
    }
    let (old, new) = (format!("{ROLLBACK_TO}: {old}"), format!("{ROLLBACK_TO}: {new}"));
    text.push_str(&format!("\n{}\n", trailers.replacen(&old, &new, 1)));
    Ok(text)
}
