//! The settings of Claude Code with our hooks in them, and without.
//!
//! Pure: everything else in the file stays where it is, known to us or not.

mod hooks;
mod permissions;

use serde_json::{Map, Value, json};

use self::permissions::{PERMISSIONS_FIELD, RULES};

pub use self::hooks::{NEEDED, hooks};

/// Settings that are not what Claude Code reads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSettings {
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// A field is of another shape.
    #[error("'{0}' in it is not {1}")]
    Shape(String, &'static str),
}

/// The parts that are to be in the settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Set if an edit is blocked when the hook itself fails.
    pub fail_closed: bool,
    /// Set if the permission rules are added.
    pub allow: bool,
}

/// Settings, read so that they can be written again.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    fields: Map<String, Value>,
    indent: String,
    ends_with_newline: bool,
}

impl Settings {
    /// Makes the settings of a file that does not exist yet.
    pub fn empty() -> Settings {
        Settings { fields: Map::new(), indent: "  ".to_owned(), ends_with_newline: true }
    }

    /// Parses the content of a file.
    pub fn read(content: &[u8]) -> Result<Settings, BadSettings> {
        let not_json = |error: serde_json::Error| BadSettings::NotJson(error.to_string());
        let value: Value = serde_json::from_slice(content).map_err(not_json)?;
        let Value::Object(fields) = value else {
            return Err(BadSettings::Shape("the whole".to_owned(), "an object"));
        };
        let ends_with_newline = content.ends_with(b"\n");
        Ok(Settings { fields, indent: indent_of(content), ends_with_newline })
    }

    /// Writes the content of the file, indented as it was.
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

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Puts our hooks and, if wanted, our permission rules in.
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

/// Finds the indentation of the first line inside of the object.
fn indent_of(content: &[u8]) -> String {
    let text = String::from_utf8_lossy(content);
    let line = text.lines().skip(1).find(|line| !line.trim().is_empty()).unwrap_or("  ");
    let indent: String = line.chars().take_while(|letter| matches!(letter, ' ' | '\t')).collect();
    if indent.is_empty() { "  ".to_owned() } else { indent }
}

#[cfg(test)]
mod tests {
    use super::hooks::{EVENTS, handler};
    use super::*;

    const PLAIN: Wanted = Wanted { fail_closed: false, allow: false };

    pub(super) fn read(text: &str) -> Settings {
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
    fn what_is_no_settings_is_named() {
        assert!(matches!(Settings::read(b"{,}"), Err(BadSettings::NotJson(_))));
        assert!(matches!(Settings::read(b"[]"), Err(BadSettings::Shape(..))));
        for (text, name) in [(r#"{"hooks":[]}"#, "hooks"), (r#"{"hooks":{"Stop":{}}}"#, "Stop")] {
            let error = read(text).with_ours(PLAIN).unwrap_err();
            assert!(error.to_string().starts_with(&format!("'{name}'")), "{error}");
        }
    }
}
