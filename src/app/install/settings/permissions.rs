//! Our permission rules in the settings of Claude Code.

use serde_json::Value;

use super::Settings;

/// The rules that let an agent coordinate without a question to its user: commands that run no
/// others. A rule for all of 'git coord' would cover 'git coord with', which runs any command.
const PERMISSIONS: [&str; 13] = [
    "Bash(git coord agents:*)",
    "Bash(git coord answer:*)",
    "Bash(git coord ask:*)",
    "Bash(git coord check:*)",
    "Bash(git coord inbox:*)",
    "Bash(git coord list:*)",
    "Bash(git coord prime:*)",
    "Bash(git coord release:*)",
    "Bash(git coord renew:*)",
    "Bash(git coord reserve:*)",
    "Bash(git coord send:*)",
    "Bash(git coord status:*)",
    "Bash(git coord whoami:*)",
];
/// The rules for commands that stay a question to the user: acting elsewhere, as somebody else, or
/// against another holder, and any option in quotes, which older versions would not recognize.
/// Claude Code applies them before the rules that allow. They match the text of a command, so they
/// stop slips and habits; the program itself limits what a command can do.
const QUESTIONS: [&str; 5] = [
    "Bash(git coord * -C*)",
    "Bash(git coord * --as*)",
    "Bash(git coord * --force*)",
    "Bash(git coord *\"-*)",
    "Bash(git coord *'-*)",
];
/// A rule of the user's own that allows more.
const ALL_PERMITTED: &str = "Bash(git coord:*)";

pub(super) const PERMISSIONS_FIELD: &str = "permissions";
const ALLOW: &str = "allow";
/// Our rules, by the list that they stand in.
pub(super) const RULES: &[(&str, &[&str])] = &[(ALLOW, &PERMISSIONS), ("ask", &QUESTIONS)];

impl Settings {
    /// Tells whether all our rules are there, or the user allows every command of ours.
    pub fn has_permissions(&self) -> bool {
        RULES.iter().all(|(list, rules)| self.missing(list, rules).is_empty())
    }

    /// Lists the rules that a list lacks; none where the user has allowed everything.
    pub(super) fn missing(&self, list: &str, rules: &'static [&'static str]) -> Vec<&'static str> {
        let decided = self.has_rule(ALLOW, ALL_PERMITTED);
        let missing = |rule: &&&str| !decided && !self.has_rule(list, rule);
        rules.iter().filter(missing).copied().collect()
    }

    fn has_rule(&self, list: &str, rule: &str) -> bool {
        let rules = self.fields.get(PERMISSIONS_FIELD).and_then(|lists| lists.get(list));
        rules.and_then(Value::as_array).is_some_and(|rules| rules.iter().any(|own| own == rule))
    }

    /// Takes out our rules that were not there `before`, with the lists that only they were in.
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
}

#[cfg(test)]
mod tests {
    use super::super::{Wanted, tests::read};
    use super::*;

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

    /// Tells whether a rule of Claude Code covers a command: a prefix before `:*`, or `*` for
    /// anything.
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
            "git coord release src \"--force\"",
            "git coord release '--as' alice src",
            "git coord release \"\"--force src",
            "git coord status \"-C\" w",
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
        // A user who allows every command has all permissions.
        let all = read(r#"{"permissions":{"allow":["Bash(git coord:*)"]}}"#);
        assert!(all.has_permissions());
    }
}
