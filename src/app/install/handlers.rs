//! The commands that Claude Code runs at an event, and which of them call us.
//!
//! Pure. Entries of others are read too, as Claude Code reads them: a user may have written a call
//! of ours by hand.

use serde_json::Value;

/// The words that a call of ours has, as `git coord` or as `git-coord` with any path.
const CALLS: [&str; 2] = ["coord hook claude", "coord hook auto"];
const TIMEOUT_SECONDS: u64 = 60;
/// The command that `install` and the plugin write for Claude Code. It is for a shell and without
/// `args`: other agents read these settings too, do not know `args`, and would run the bare
/// program. Some of them take a missing program for a refusal, so a missing program exits with 0.
const WRITTEN: &str = "command -v git-coord >/dev/null 2>&1 || exit 0; exec git-coord hook auto";
/// The command where an edit that cannot be checked is refused, also for want of the program.
const WRITTEN_CLOSED: &str = "git-coord hook auto";
/// The name of the program in the form that earlier versions wrote, with any path before it.
const OLD_PROGRAM: &str = "git-coord";
const OLD_ARGUMENTS: [&str; 2] = ["hook", "claude"];

/// A command that Claude Code runs at an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handler {
    command: String,
    /// The arguments; none where a shell runs the command.
    args: Option<Vec<String>>,
    /// The seconds that Claude Code waits for it.
    pub timeout: u64,
}

impl Handler {
    /// Reads a handler; none where Claude Code would run no command.
    pub(super) fn of(value: &Value) -> Option<Handler> {
        if value["type"].as_str().is_some_and(|kind| kind != "command") {
            return None;
        }
        let words = |list: &Vec<Value>| {
            list.iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<String>>()
        };
        Some(Handler {
            command: value["command"].as_str()?.to_owned(),
            args: value["args"].as_array().map(words),
            timeout: value["timeout"].as_u64().unwrap_or(TIMEOUT_SECONDS),
        })
    }

    /// Names the command that `install` writes.
    pub fn written(fail_closed: bool) -> &'static str {
        if fail_closed { WRITTEN_CLOSED } else { WRITTEN }
    }

    /// Returns the command that `install` writes if this is it to the byte. We run nothing else: a
    /// settings file may have come with a clone, and could have any command beside our name.
    pub fn as_installed(&self) -> Option<&'static str> {
        let is_shell_form = self.args.is_none();
        [WRITTEN, WRITTEN_CLOSED].into_iter().find(|it| is_shell_form && *it == self.command)
    }

    /// Tells whether `install` wrote the handler, of this version or an earlier one.
    pub fn is_written_by_us(&self) -> bool {
        let program = self.command.rsplit('/').next();
        let is_earlier = |args: &Vec<String>| {
            program == Some(OLD_PROGRAM) && args.iter().eq(OLD_ARGUMENTS.iter())
        };
        self.as_installed().is_some() || self.args.as_ref().is_some_and(is_earlier)
    }

    /// Tells whether the handler calls us in the earlier form, which other agents read wrongly.
    pub fn is_old_form(&self) -> bool {
        self.args.is_some() && self.calls_us()
    }

    /// Tells whether the handler calls us, in any form.
    pub fn calls_us(&self) -> bool {
        let shown = self.shown();
        CALLS.iter().any(|call| shown.contains(call))
    }

    /// Writes the command as a person would type it.
    pub fn shown(&self) -> String {
        let args = self.args.iter().flatten();
        std::iter::once(&self.command).chain(args).cloned().collect::<Vec<_>>().join(" ")
    }
}

/// Lists the handlers that a call of the tool runs, of the groups of an event; all of them at
/// events without a tool.
pub(super) fn among(groups: &Value, tool: Option<&str>) -> Vec<Handler> {
    let is_meant = |group: &&Value| match (tool, group["matcher"].as_str()) {
        (Some(tool), Some(matcher)) => matches(matcher, tool),
        _ => true,
    };
    let groups = groups.as_array().into_iter().flatten().filter(is_meant);
    let handlers = groups.filter_map(|group| group["hooks"].as_array()).flatten();
    handlers.filter_map(Handler::of).collect()
}

/// Tells whether a matcher means a tool: names with `|` between them, or a pattern. Only the simple
/// patterns that people write are understood.
fn matches(matcher: &str, tool: &str) -> bool {
    let matcher = matcher.trim().trim_start_matches('^').trim_end_matches('$');
    let names = matcher.trim_start_matches('(').trim_end_matches(')').split('|').map(str::trim);
    let is_named = |name: &str| match name.strip_suffix(".*").or(name.strip_suffix('*')) {
        Some(start) => tool.starts_with(start),
        None => name == tool,
    };
    matcher.is_empty() || names.into_iter().any(is_named)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_matcher_means_the_tools_that_it_names() {
        for (matcher, edit, read) in [
            ("Edit|Write", true, false),
            ("", true, true),
            ("*", true, true),
            (".*", true, true),
            ("^(Edit|Read)$", true, true),
            ("Ed.*", true, false),
            ("Read", false, true),
            ("MultiEdit", false, false),
        ] {
            assert_eq!((matches(matcher, "Edit"), matches(matcher, "Read")), (edit, read));
        }
    }

    #[test]
    fn each_way_to_call_us_is_known() {
        for (value, calls) in [
            (json!({"command": "git-coord", "args": ["hook", "claude"]}), true),
            (json!({"type": "command", "command": "/opt/bin/git-coord hook auto"}), true),
            (json!({"command": "git", "args": ["coord", "hook", "claude"]}), true),
            (json!({"command": "git-coord", "args": ["hook", "pre-commit"]}), false),
            (json!({"command": "lint"}), false),
        ] {
            assert_eq!(Handler::of(&value).unwrap().calls_us(), calls, "{value}");
        }
        assert_eq!(Handler::of(&json!({"type": "prompt", "command": "x"})), None);
        let timed = Handler::of(&json!({"command": "a", "args": ["b"], "timeout": 5})).unwrap();
        assert_eq!((timed.shown().as_str(), timed.timeout), ("a b", 5));
    }

    #[test]
    fn only_what_install_writes_is_as_installed() {
        for (value, is_so) in [
            (json!({"type": "command", "command": WRITTEN}), true),
            (json!({"command": WRITTEN_CLOSED, "timeout": 9}), true),
            (json!({"command": "git-coord hook claude"}), false),
            (json!({"command": "git-coord", "args": ["hook", "claude"]}), false),
            (json!({"command": "id # git coord hook auto"}), false),
            (json!({"command": "./git-coord hook auto"}), false),
            (json!({"command": "git-coord hook auto "}), false),
            (json!({"command": format!("{WRITTEN}; id")}), false),
            (json!({"command": WRITTEN, "args": []}), false),
        ] {
            assert_eq!(Handler::of(&value).unwrap().as_installed().is_some(), is_so, "{value}");
        }
    }

    #[test]
    fn what_install_has_written_is_known_and_nothing_else_is() {
        for (value, is_ours, is_old) in [
            (json!({"command": WRITTEN}), true, false),
            (json!({"command": WRITTEN_CLOSED}), true, false),
            (json!({"command": "/opt/git-coord", "args": ["hook", "claude"]}), true, true),
            (json!({"command": "git", "args": ["coord", "hook", "claude"]}), false, true),
            (json!({"command": "/opt/git-coord hook auto"}), false, false),
            (json!({"command": WRITTEN, "args": []}), false, true),
            (json!({"command": "lint", "args": ["x"]}), false, false),
        ] {
            let handler = Handler::of(&value).unwrap();
            let found = (handler.is_written_by_us(), handler.is_old_form());
            assert_eq!(found, (is_ours, is_old), "{value}");
        }
        for fail_closed in [false, true] {
            let written = Handler::of(&json!({"command": Handler::written(fail_closed)})).unwrap();
            assert!(written.calls_us() && written.is_written_by_us());
        }
    }

    #[test]
    fn handlers_of_other_tools_are_not_run() {
        let hooks = |command: &str| json!([{"type": "command", "command": command}]);
        let groups = json!([
            {"matcher": "Read", "hooks": hooks("one")},
            {"matcher": "Edit", "hooks": hooks("two")},
            {"hooks": hooks("three")},
        ]);
        let names =
            |tool| -> Vec<String> { among(&groups, tool).iter().map(Handler::shown).collect() };
        assert_eq!(names(Some("Edit")), ["two", "three"]);
        assert_eq!(names(None).len(), 3);
        assert_eq!(among(&Value::Null, Some("Edit")), []);
    }
}
