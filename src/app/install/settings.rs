//! The settings of Claude Code with our hooks in them, and without.
//!
//! Pure: whatever else is in the file, known to us or not, stays where it is.

use serde_json::{Map, Value, json};

use crate::app::install::handlers::{self, Handler};

/// Which calls of tools we are told of, at which events.
const EVENTS: [(&str, Option<&str>); 6] = [
    ("PreToolUse", Some("Edit|Write|MultiEdit|NotebookEdit|Bash")),
    ("PostToolUse", Some("Edit|Write|MultiEdit|NotebookEdit|Bash")),
    ("SessionStart", None),
    ("Stop", None),
    ("SubagentStop", None),
    ("SessionEnd", None),
];
/// The events and tools without which somebody is not protected. `MultiEdit` is gone from the
/// product, and nobody misses it.
pub const NEEDED: [(&str, &[&str]); 6] = [
    ("PreToolUse", &["Edit", "Write", "NotebookEdit", "Bash"]),
    ("PostToolUse", &["Edit", "Write", "NotebookEdit", "Bash"]),
    ("SessionStart", &[]),
    ("Stop", &[]),
    ("SubagentStop", &[]),
    ("SessionEnd", &[]),
];
/// The hook gives up after two seconds by itself.
const TIMEOUT_SECONDS: u32 = 5;
/// The event that an edit waits for, and its tools: that edits can be refused without the program
/// is no reason to refuse the shell, which has to get it back.
const GATE: &str = "PreToolUse";
const GATED: &str = "Edit|Write|MultiEdit|NotebookEdit";
const NOT_GATED: &str = "Bash";

/// What lets an agent coordinate without a question to its user: commands that run no others. A
/// rule for all of 'git coord' would be one for 'git coord with', which runs whatever it is given.
pub const PERMISSIONS: [&str; 12] = [
    "Bash(git coord agents:*)",
    "Bash(git coord answer:*)",
    "Bash(git coord ask:*)",
    "Bash(git coord check:*)",
    "Bash(git coord inbox:*)",
    "Bash(git coord list:*)",
    "Bash(git coord release:*)",
    "Bash(git coord renew:*)",
    "Bash(git coord reserve:*)",
    "Bash(git coord send:*)",
    "Bash(git coord status:*)",
    "Bash(git coord whoami:*)",
];
/// What stays a question to the user all the same: to act elsewhere, as somebody else, or against
/// another holder. These rules come before those that allow. They go by the letters of a command,
/// so they stop slips and habits; what a command can do at most is up to the program itself.
pub const QUESTIONS: [&str; 3] =
    ["Bash(git coord * -C*)", "Bash(git coord * --as*)", "Bash(git coord * --force*)"];
/// A rule of the user's own that goes further.
const ALL_PERMITTED: &str = "Bash(git coord:*)";

const PERMISSIONS_FIELD: &str = "permissions";
const ALLOW: &str = "allow";
/// Our rules by the list that they stand in.
const RULES: &[(&str, &[&str])] = &[(ALLOW, &PERMISSIONS), ("ask", &QUESTIONS)];

/// Settings that are not what Claude Code reads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSettings {
    /// No JSON.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// JSON of another shape.
    #[error("'{0}' in it is not {1}")]
    Shape(String, &'static str),
}

/// What is to be in the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Whether an edit is blocked when the hook itself fails.
    pub fail_closed: bool,
    /// Whether the permission is added.
    pub allow: bool,
}

/// The hook entries by event, as they stand in settings and in a plugin.
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

fn handler(fail_closed: bool) -> Value {
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

/// Settings, read so that they can be written again.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    fields: Map<String, Value>,
    indent: String,
    ends_with_newline: bool,
}

impl Settings {
    /// Where there is no file yet.
    pub fn empty() -> Settings {
        Settings { fields: Map::new(), indent: "  ".to_owned(), ends_with_newline: true }
    }

    /// The settings in that file.
    pub fn read(content: &[u8]) -> Result<Settings, BadSettings> {
        let not_json = |error: serde_json::Error| BadSettings::NotJson(error.to_string());
        let value: Value = serde_json::from_slice(content).map_err(not_json)?;
        let Value::Object(fields) = value else {
            return Err(BadSettings::Shape("the whole".to_owned(), "an object"));
        };
        let ends_with_newline = content.ends_with(b"\n");
        Ok(Settings { fields, indent: indent_of(content), ends_with_newline })
    }

    /// The file, indented as it was.
    pub fn written(&self) -> Vec<u8> {
        let text = serde_json::to_string_pretty(&self.fields).expect("a map is plain data");
        // No text in it has a line break of its own: JSON writes those as `\n`.
        let lines = text.split('\n').map(|line| {
            let rest = line.trim_start_matches("  ");
            let depth = (line.len() - rest.len()) / 2;
            self.indent.repeat(depth) + rest
        });
        let mut written = lines.collect::<Vec<_>>().join("\n");
        written.extend(self.ends_with_newline.then_some('\n'));
        written.into_bytes()
    }

    /// Whether nothing is in them.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// What a call of that tool runs at an event; of events that are about no tool, everything.
    pub fn handlers(&self, event: &str, tool: Option<&str>) -> Vec<Handler> {
        let groups = self.fields.get("hooks").and_then(|hooks| hooks.get(event));
        groups.map(|groups| handlers::among(groups, tool)).unwrap_or_default()
    }

    /// Whether they switch all hooks off, or explicitly on.
    pub fn disables_all(&self) -> Option<bool> {
        self.fields.get("disableAllHooks").and_then(Value::as_bool)
    }

    /// Whether any hook of ours is in them.
    pub fn has_ours(&self) -> bool {
        self.ours().is_ok_and(|ours| !ours.is_empty())
    }

    /// Whether all that the permissions allow is allowed, and no more.
    pub fn has_permissions(&self) -> bool {
        RULES.iter().all(|(list, rules)| self.missing(list, rules).is_empty())
    }

    /// The rules that a list lacks. Who allows everything has decided for themselves.
    fn missing(&self, list: &str, rules: &'static [&'static str]) -> Vec<&'static str> {
        let decided = self.has_rule(ALLOW, ALL_PERMITTED);
        let missing = |rule: &&&str| !decided && !self.has_rule(list, rule);
        rules.iter().filter(missing).copied().collect()
    }

    fn has_rule(&self, list: &str, rule: &str) -> bool {
        let rules = self.fields.get(PERMISSIONS_FIELD).and_then(|lists| lists.get(list));
        rules.and_then(Value::as_array).is_some_and(|rules| rules.iter().any(|own| own == rule))
    }

    /// The settings with ours.
    pub fn with_ours(&self, wanted: Wanted) -> Result<Settings, BadSettings> {
        let mut settings = self.clone();
        let wanted_hooks = hooks(wanted.fail_closed);
        if self.ours()? != wanted_hooks {
            settings = settings.without_hooks()?;
            let hooks = object(&mut settings.fields, "hooks")?;
            for (event, groups) in wanted_hooks {
                let groups = groups.as_array().cloned().unwrap_or_default();
                list(hooks, &event)?.extend(groups);
            }
        }
        for (name, rules) in RULES.iter().filter(|_| wanted.allow) {
            let missing = self.missing(name, rules);
            if !missing.is_empty() {
                let permissions = object(&mut settings.fields, PERMISSIONS_FIELD)?;
                list(permissions, name)?.extend(missing.into_iter().map(Value::from));
            }
        }
        Ok(settings)
    }

    /// The settings without our hooks, and without what stood there for them alone.
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

    /// The settings without those permissions that were not there `before`, and without what stood
    /// there for them alone.
    #[must_use]
    pub fn without_permissions(&self, before: &Settings) -> Settings {
        let mut settings = self.clone();
        let mut is_changed = false;
        if let Some(Value::Object(permissions)) = settings.fields.get_mut(PERMISSIONS_FIELD) {
            for (name, rules) in RULES {
                let is_ours = |rule: &Value| {
                    let rule = rule.as_str().filter(|rule| rules.contains(rule));
                    rule.is_some_and(|rule| !before.has_rule(name, rule))
                };
                let Some(Value::Array(list)) = permissions.get_mut(*name) else { continue };
                let count = list.len();
                list.retain(|rule| !is_ours(rule));
                is_changed |= list.len() < count;
                if list.is_empty() && count > 0 {
                    permissions.shift_remove(*name);
                }
            }
            if permissions.is_empty() && is_changed {
                settings.fields.shift_remove(PERMISSIONS_FIELD);
            }
        }
        settings
    }

    /// The events and groups that our handler stands in.
    fn ours(&self) -> Result<Map<String, Value>, BadSettings> {
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

/// However long it may take.
fn is_ours(handler: &Value) -> bool {
    Handler::of(handler).is_some_and(|handler| handler.is_written_by_us())
}

fn has_ours(group: &Value) -> bool {
    group["hooks"].as_array().is_some_and(|handlers| handlers.iter().any(is_ours))
}

/// Takes our handlers out of a group, and says whether it was there for them alone.
fn is_emptied(group: &mut Value) -> bool {
    let Some(Value::Array(handlers)) = group.get_mut("hooks") else { return false };
    let before = handlers.len();
    handlers.retain(|handler| !is_ours(handler));
    handlers.is_empty() && before > 0
}

fn object<'m>(
    fields: &'m mut Map<String, Value>,
    name: &str,
) -> Result<&'m mut Map<String, Value>, BadSettings> {
    let value = fields.entry(name).or_insert_with(|| json!({}));
    value.as_object_mut().ok_or_else(|| BadSettings::Shape(name.to_owned(), "an object"))
}

fn list<'m>(
    fields: &'m mut Map<String, Value>,
    name: &str,
) -> Result<&'m mut Vec<Value>, BadSettings> {
    let value = fields.entry(name).or_insert_with(|| json!([]));
    value.as_array_mut().ok_or_else(|| BadSettings::Shape(name.to_owned(), "a list"))
}

/// What the first line inside of the object begins with.
fn indent_of(content: &[u8]) -> String {
    let text = String::from_utf8_lossy(content);
    let line = text.lines().skip(1).find(|line| !line.trim().is_empty()).unwrap_or("  ");
    let indent: String = line.chars().take_while(|letter| matches!(letter, ' ' | '\t')).collect();
    if indent.is_empty() { "  ".to_owned() } else { indent }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Wanted = Wanted { fail_closed: false, allow: false };

    fn read(text: &str) -> Settings {
        Settings::read(text.as_bytes()).unwrap()
    }

    fn text_of(settings: &Settings) -> String {
        String::from_utf8(settings.written()).unwrap()
    }

    #[test]
    fn what_is_there_stays_in_its_order_and_style() {
        let before = "{\n\t\"z\": 1,\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\n\t\t\t\t\"hooks\": \
                      [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"type\": \"command\",\n\t\t\t\t\t\t\"command\": \
                      \"say done\"\n\t\t\t\t\t}\n\t\t\t\t]\n\t\t\t}\n\t\t]\n\t},\n\t\"a\": null\n}";
        let with = read(before).with_ours(PLAIN).unwrap();
        let keys: Vec<&String> = with.fields.keys().collect();
        assert_eq!(keys, ["z", "hooks", "a"]);
        assert_eq!(with.fields["hooks"]["Stop"][0]["hooks"][0]["command"], "say done");
        assert_eq!(with.fields["hooks"]["Stop"][1]["hooks"][0], handler(false));
        assert!(text_of(&with).starts_with("{\n\t\"z\": 1,\n"));
        assert_eq!(text_of(&read(&text_of(&with)).without_hooks().unwrap()), before);
    }

    #[test]
    fn twice_is_once_and_none_is_none() {
        let once = Settings::empty().with_ours(PLAIN).unwrap();
        assert_eq!(once.with_ours(PLAIN).unwrap(), once);
        assert!(once.without_hooks().unwrap().is_empty());
        assert_eq!(Settings::empty().without_hooks().unwrap(), Settings::empty());
    }

    #[test]
    fn a_group_that_we_share_keeps_the_others() {
        let mut shared = Settings::empty().with_ours(PLAIN).unwrap();
        let other = json!({"type": "command", "command": "lint"});
        let group = &mut shared.fields["hooks"]["PreToolUse"][0]["hooks"];
        group.as_array_mut().unwrap().push(other.clone());
        let without = shared.without_hooks().unwrap();
        assert_eq!(without.fields["hooks"]["PreToolUse"][0]["hooks"], json!([other]));
        assert_eq!(without.fields["hooks"].as_object().unwrap().len(), 1);
    }

    #[test]
    fn a_change_of_mind_about_failing_replaces_ours() {
        let open = Settings::empty().with_ours(PLAIN).unwrap();
        let closed = open.with_ours(Wanted { fail_closed: true, allow: false }).unwrap();
        assert_eq!(closed.fields["hooks"], Value::from(hooks(true)));
        assert_eq!(closed.with_ours(PLAIN).unwrap().fields, open.fields);
    }

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

    /// What an earlier version wrote is replaced as a whole, and goes as a whole.
    #[test]
    fn the_form_of_earlier_versions_is_ours() {
        let old = json!({"type": "command", "command": "/opt/bin/git-coord",
            "args": ["hook", "claude"], "timeout": 5});
        let text = json!({"hooks": {
            "PreToolUse": [{"matcher": "Edit|Bash", "hooks": [old]}],
            "Stop": [{"hooks": [old, {"type": "command", "command": "say done"}]}],
        }});
        let before = read(&text.to_string());
        let after = before.with_ours(PLAIN).unwrap();
        let shown = text_of(&after);
        assert!(before.has_ours() && !shown.contains("args"), "{shown}");
        assert_eq!(shown.matches("say done").count(), 1);
        assert_eq!(shown.matches("git-coord hook auto").count(), EVENTS.len());
        let left = before.without_hooks().unwrap();
        assert_eq!(left.fields["hooks"].as_object().unwrap().len(), 1);
        assert!(!text_of(&left).contains("git-coord"));
    }

    #[test]
    fn permissions_come_and_go_by_themselves() {
        let allow = Wanted { fail_closed: false, allow: true };
        let with = Settings::empty().with_ours(allow).unwrap();
        assert!(with.has_permissions() && !Settings::empty().has_permissions());
        assert_eq!(with.with_ours(allow).unwrap(), with);
        let empty = Settings::empty();
        assert!(with.without_hooks().unwrap().without_permissions(&empty).is_empty());
        let other = read(r#"{"permissions":{"allow":["Bash(ls:*)","Bash(git coord ask:*)"]}}"#);
        let both = other.with_ours(allow).unwrap();
        assert!(both.has_permissions());
        assert_eq!(both.without_hooks().unwrap().without_permissions(&other).fields, other.fields);
    }

    /// Whether a rule of Claude Code's means a command: a prefix before `:*`, or `*` for anything.
    fn means(rule: &str, command: &str) -> bool {
        let inside = rule.strip_prefix("Bash(").and_then(|rule| rule.strip_suffix(')')).unwrap();
        if let Some(prefix) = inside.strip_suffix(":*") {
            let rest = command.strip_prefix(prefix);
            return rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '));
        }
        let mut rest = command;
        for (number, part) in inside.split('*').enumerate() {
            match rest.find(part) {
                Some(0) => rest = &rest[part.len()..],
                Some(at) if number > 0 => rest = &rest[at + part.len()..],
                _ => return false,
            }
        }
        inside.ends_with('*') || rest.is_empty()
    }

    /// 8/NO-HARM: what agents may do unasked is what concerns themselves and this repository.
    #[test]
    fn what_could_be_turned_against_somebody_is_asked_for() {
        let is_allowed = |command: &str| {
            let asks = QUESTIONS.iter().any(|rule| means(rule, command));
            PERMISSIONS.iter().any(|rule| means(rule, command)) && !asks
        };
        for command in [
            "git coord status",
            "git coord status --json",
            "git coord reserve 'src/**' --ttl 1h --reason 'the C parser'",
            "git coord release --mine",
            "git coord send bob 'done'",
        ] {
            assert!(is_allowed(command), "{command}");
        }
        for command in [
            "git coord status -C /elsewhere",
            "git coord status -C/elsewhere",
            "git coord status --json -C w",
            "git coord release src --force",
            "git coord release --force src",
            "git coord release src --as alice",
            "git coord release src --as=alice",
            "git coord -C w status",
            "git -C w coord status",
            "git -c core.pager=x coord status",
            "git --git-dir=w coord status",
            "git coord with --lock x -- sh",
            "git coord doctor",
            "git coord statusx",
        ] {
            assert!(!is_allowed(command), "{command}");
        }
    }

    /// Commands that run what they are given are left to the user's own rules.
    #[test]
    fn no_permission_runs_another_command() {
        let with = Settings::empty().with_ours(Wanted { fail_closed: false, allow: true }).unwrap();
        assert!(!with.has_rule(ALLOW, ALL_PERMITTED));
        assert!(!with.has_rule(ALLOW, "Bash(git coord with:*)"));
        // Who allows more on their own has it all.
        let all = read(r#"{"permissions":{"allow":["Bash(git coord:*)"]}}"#);
        assert!(all.has_permissions());
    }

    #[test]
    fn what_is_no_settings_is_named() {
        assert!(matches!(Settings::read(b"{,}"), Err(BadSettings::NotJson(_))));
        assert!(matches!(Settings::read(b"[]"), Err(BadSettings::Shape(..))));
        for (text, name) in [(r#"{"hooks":[]}"#, "hooks"), (r#"{"hooks":{"Stop":{}}}"#, "Stop")] {
            let error = read(text).with_ours(PLAIN).unwrap_err();
            assert!(error.to_string().starts_with(&format!("'{name}'")), "{error}");
        }
    }
}
