//! Our hooks in the settings of Claude Code: which there should be, and which there are.

use serde_json::{Map, Value, json};

use super::{BadSettings, Settings, list, object};
use crate::app::install::handlers::{self, Handler};

/// The events that we are told of, each with the tools whose calls count.
pub(super) const EVENTS: [(&str, Option<&str>); 10] = [
    ("PreToolUse", Some("Edit|Write|MultiEdit|NotebookEdit|Bash")),
    ("PostToolUse", None),
    ("PostToolUseFailure", None),
    ("SessionStart", None),
    ("UserPromptSubmit", None),
    ("Stop", None),
    ("StopFailure", None),
    ("SubagentStart", None),
    ("SubagentStop", None),
    ("SessionEnd", None),
];
/// The events and tools that protection needs. `MultiEdit` is not among them: Claude Code no longer
/// has it. `Read` stands for all tools that change nothing: after each of them the agent hears what
/// others ask for.
pub const NEEDED: [(&str, &[&str]); 10] = [
    ("PreToolUse", &["Edit", "Write", "NotebookEdit", "Bash"]),
    ("PostToolUse", &["Edit", "Write", "NotebookEdit", "Bash", "Read"]),
    ("PostToolUseFailure", &["Edit", "Write", "NotebookEdit", "Bash", "Read"]),
    ("SessionStart", &[]),
    ("UserPromptSubmit", &[]),
    ("Stop", &[]),
    ("StopFailure", &[]),
    ("SubagentStart", &[]),
    ("SubagentStop", &[]),
    ("SessionEnd", &[]),
];
/// The hook gives up after two seconds by itself.
const TIMEOUT_SECONDS: u32 = 5;
/// The event that an edit waits for, and its tools. The shell is not among them: where the program
/// is missing, edits may be refused, but the shell is needed to get it back.
const GATE: &str = "PreToolUse";
const GATED: &str = "Edit|Write|MultiEdit|NotebookEdit";
const NOT_GATED: &str = "Bash";

/// Builds the hook entries by event, as settings and a plugin have them.
pub fn hooks(fail_closed: bool) -> Map<String, Value> {
    let entry = |(event, matcher): (&str, Option<&str>)| {
        let groups = if fail_closed && event == GATE {
            vec![group(Some(GATED), true), group(Some(NOT_GATED), false)]
        } else {
            vec![group(matcher, false)]
        };
        (event.to_owned(), groups.into())
    };
    EVENTS.into_iter().map(entry).collect()
}

fn group(matcher: Option<&str>, fail_closed: bool) -> Value {
    let mut group = Map::new();
    group.extend(matcher.map(|matcher| ("matcher".to_owned(), json!(matcher))));
    group.insert("hooks".to_owned(), json!([handler(fail_closed)]));
    group.into()
}

pub(super) fn handler(fail_closed: bool) -> Value {
    let mut handler = json!({
        "type": "command",
        "command": Handler::written(fail_closed),
        "timeout": TIMEOUT_SECONDS,
    });
    if fail_closed {
        handler["onFailure"] = json!("block");
    }
    handler
}

impl Settings {
    /// Lists the handlers that a call of the tool runs at an event; all of them at events without a
    /// tool.
    pub fn handlers(&self, event: &str, tool: Option<&str>) -> Vec<Handler> {
        let groups = self.fields.get("hooks").and_then(|hooks| hooks.get(event));
        groups.map(|groups| handlers::among(groups, tool)).unwrap_or_default()
    }

    /// Tells whether the settings switch all hooks off, or explicitly on; none if they say neither.
    pub fn disables_all(&self) -> Option<bool> {
        self.fields.get("disableAllHooks").and_then(Value::as_bool)
    }

    /// Tells whether a hook of ours is in the settings.
    pub fn has_ours(&self) -> bool {
        self.ours().is_ok_and(|ours| !ours.is_empty())
    }

    /// Takes our hooks out, with the groups and lists that only they were in.
    pub fn without_hooks(&self) -> Result<Settings, BadSettings> {
        let mut settings = self.clone();
        let events: Vec<String> = self.ours()?.keys().cloned().collect();
        if events.is_empty() {
            return Ok(settings);
        }
        let hooks = object(&mut settings.fields, "hooks")?;
        for event in events {
            let groups = list(hooks, &event)?;
            groups.retain_mut(|group| !is_emptied(group));
            if groups.is_empty() {
                hooks.shift_remove(&event);
            }
        }
        if hooks.is_empty() {
            settings.fields.shift_remove("hooks");
        }
        Ok(settings)
    }

    /// Finds the groups that have a handler of ours, by event.
    pub(super) fn ours(&self) -> Result<Map<String, Value>, BadSettings> {
        let mut ours = Map::new();
        let Some(hooks) = self.fields.get("hooks") else { return Ok(ours) };
        let shape = |name: &str, kind| BadSettings::Shape(name.to_owned(), kind);
        for (event, groups) in hooks.as_object().ok_or_else(|| shape("hooks", "an object"))? {
            let groups = groups.as_array().ok_or_else(|| shape(event, "a list"))?;
            let found: Vec<Value> =
                groups.iter().filter(|group| has_ours(group)).cloned().collect();
            if !found.is_empty() {
                ours.insert(event.clone(), Value::Array(found));
            }
        }
        Ok(ours)
    }
}

/// Tells whether a handler is ours, whatever its timeout.
fn is_ours(handler: &Value) -> bool {
    Handler::of(handler).is_some_and(|handler| handler.is_written_by_us())
}

fn has_ours(group: &Value) -> bool {
    group["hooks"].as_array().is_some_and(|handlers| handlers.iter().any(is_ours))
}

/// Takes our handlers out of a group, and tells whether the group had no others.
fn is_emptied(group: &mut Value) -> bool {
    let Some(Value::Array(handlers)) = group.get_mut("hooks") else { return false };
    let before = handlers.len();
    handlers.retain(|handler| !is_ours(handler));
    handlers.is_empty() && before > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without the program edits are refused, and the shell that gets it back is not.
    #[test]
    fn only_edits_fail_closed() {
        let hooks = Value::from(hooks(true));
        let failing: Vec<(&str, &str)> = EVENTS
            .iter()
            .flat_map(|(event, _)| hooks[event].as_array().unwrap().iter().map(|g| (*event, g)))
            .filter(|(_, group)| group["hooks"][0]["onFailure"] == "block")
            .map(|(event, group)| (event, group["matcher"].as_str().unwrap()))
            .collect();
        assert_eq!(failing, [(GATE, GATED)]);
        assert_eq!(format!("{GATED}|{NOT_GATED}"), EVENTS[0].1.unwrap());
    }
}
