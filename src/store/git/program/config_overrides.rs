//! Keeps git from running programs that a repository's own configuration names.
//!
//! Git runs many such programs: filters, hooks, transports. A user who calls git has chosen that; a
//! user who asks for the holder of a file has not. Settings of the repository that name a program
//! are therefore overridden by the user's own settings, or by git's defaults.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::Command;

use crate::core::boolean::parse_boolean;
use crate::core::environment::Environment;
use crate::store::git::config_entries::{Entry, Scope};
use crate::store::git::found::Found;

/// Settings for every call: no hooks, no maintenance after a fetch, no verification of signatures.
const ALWAYS: [(&str, &str); 4] = [
    ("core.hookspath", "/dev/null"),
    ("gc.auto", "0"),
    ("log.showsignature", "false"),
    ("maintenance.auto", "false"),
];

/// Keys without a subsection that name a program, with git's default.
const PLAIN: [(&str, &str); 3] =
    [("core.alternaterefscommand", "true"), ("core.askpass", ""), ("core.sshcommand", "ssh")];

/// Keys with a subsection that name a program, by section and name, with git's default. Programs
/// that none of our calls runs are not listed: merge drivers, signature programs, text conversions.
const NAMED: [(&str, &str, &str); 3] =
    [("filter", "clean", ""), ("filter", "process", ""), ("filter", "required", "false")];

/// The protocols that git itself implements. For any other, the repository would choose the
/// program.
const PROTOCOLS: &str = "file:git:http:https:ssh";

/// Tells whether git may fetch the objects that a partial clone lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fetching {
    /// The configuration does not describe a partial clone.
    #[default]
    Never,
    /// It is a partial clone, but the repository was only found as a bare one: nobody has named it,
    /// and no `.git` leads to it.
    NotNamed,
    /// It is a partial clone, but its configuration names a program for fetching that cannot be
    /// overridden.
    NamesProgram,
    /// It is a partial clone that may be used.
    Allowed,
}

/// The overrides for each call of git in one repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigOverrides {
    pub fetching: Fetching,
    /// Settings that override the repository's own.
    settings: Vec<(String, String)>,
    /// Set if the repository's own configuration names a proxy command.
    has_proxy: bool,
    /// Set if a key is not UTF-8, and so cannot be overridden.
    has_unreadable_key: bool,
}

impl ConfigOverrides {
    /// Derives the overrides from all settings, which are in ascending precedence.
    pub fn of(entries: &[Entry], found: Found) -> ConfigOverrides {
        let (mut overrides, mut names_program) = (ConfigOverrides::default(), false);
        let mut by_user: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for entry in entries.iter().filter(|entry| entry.scope == Scope::User) {
            if is_own_hook(entry) {
                overrides.settings.push((entry.key.clone(), "false".to_owned()));
            } else {
                by_user.entry(&entry.key).or_default().push(&entry.value);
            }
        }
        for entry in entries.iter().filter(|entry| entry.scope == Scope::Repository) {
            overrides.has_proxy |= entry.key == "core.gitproxy";
            overrides.has_unreadable_key |= entry.key.contains(char::REPLACEMENT_CHARACTER);
            if is_promise(entry) {
                overrides.fetching = match found {
                    Found::AsBare => Fetching::NotNamed,
                    Found::Named | Found::ByDotGit => Fetching::Allowed,
                };
            }
            // Git uses the first value of this key, so it cannot be overridden.
            names_program |=
                is_of_remote(entry, "uploadpack") && !by_user.contains_key(&*entry.key);
            let Some((key, plain)) = harmless(entry) else { continue };
            let own = by_user.get(key.as_str()).map(Vec::as_slice).unwrap_or_default();
            let mut override_with =
                |value: &str| overrides.settings.push((key.clone(), value.into()));
            // An empty value resets a list. Of every other key the last value counts.
            if is_list(&key) {
                override_with("");
                own.iter().copied().for_each(override_with);
            } else {
                override_with(own.last().copied().unwrap_or(plain));
            }
        }
        if names_program && overrides.fetching == Fetching::Allowed {
            overrides.fetching = Fetching::NamesProgram;
        }
        overrides
    }

    /// Restrains a call. The caller's variables are the user's own choice and take precedence.
    pub(super) fn apply(&self, command: &mut Command, environment: &Environment) {
        if self.has_unreadable_key {
            // This makes git fail: a program under that key could not be prevented.
            command.env("GIT_CONFIG_COUNT", "a key of this repository is not UTF-8");
            return;
        }
        let variable = |name: &str| environment.os(name).filter(|value| !value.is_empty());
        let count = variable("GIT_CONFIG_COUNT").and_then(|count| count.to_str()?.parse().ok());
        let given = |number: usize| {
            let get = |part: &str| environment.os(&format!("GIT_CONFIG_{part}_{number}"));
            Some((get("KEY")?.to_owned(), get("VALUE")?.to_owned()))
        };
        let always = ALWAYS.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let ours = always.chain(self.settings.iter().cloned());
        let ours = ours.map(|(key, value)| (OsString::from(key), OsString::from(value)));
        let given: Option<Vec<_>> = (0..count.unwrap_or(0)).map(given).collect();
        // If a variable is missing, git reports it.
        let Some(given) = given else { return };
        let all: Vec<(OsString, OsString)> = ours.chain(given).collect();
        command.env("GIT_CONFIG_COUNT", all.len().to_string());
        for (number, (key, value)) in all.into_iter().enumerate() {
            command.env(format!("GIT_CONFIG_KEY_{number}"), key);
            command.env(format!("GIT_CONFIG_VALUE_{number}"), value);
        }
        if self.has_proxy && variable("GIT_PROXY_COMMAND").is_none() {
            command.env("GIT_PROXY_COMMAND", "");
        }
        match self.fetching {
            Fetching::Allowed if variable("GIT_ALLOW_PROTOCOL").is_some() => {}
            Fetching::Allowed => drop(command.env("GIT_ALLOW_PROTOCOL", PROTOCOLS)),
            _ => forbid_fetching(command),
        }
    }
}

/// Forbids fetching. A git that is too old for the first variable tries, and finds that no protocol
/// is allowed.
pub(super) fn forbid_fetching(command: &mut Command) {
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
}

/// Tells whether a setting describes a partial clone.
fn is_promise(entry: &Entry) -> bool {
    match entry.key.as_str() {
        "extensions.partialclone" => !entry.value.is_empty(),
        _ => is_of_remote(entry, "promisor") && parse_boolean(&entry.value) != Some(false),
    }
}

/// Tells whether the user has set that git calls this program when it reads the index.
fn is_own_hook(entry: &Entry) -> bool {
    entry.key == "core.fsmonitor" && entry.value.ends_with("hook fsmonitor")
}

fn is_of_remote(entry: &Entry, name: &str) -> bool {
    parts(&entry.key).is_some_and(|(section, _, last)| section == "remote" && last == name)
}

fn is_list(key: &str) -> bool {
    parts(key).is_some_and(|(section, _, last)| section == "credential" && last == "helper")
}

/// Returns the key and the value that override a setting which names a program.
fn harmless(entry: &Entry) -> Option<(String, &'static str)> {
    let key = entry.key.as_str();
    // As a boolean it enables git's own program.
    if key == "core.fsmonitor" {
        return parse_boolean(&entry.value).is_none().then(|| (key.to_owned(), "false"));
    }
    if let Some((_, value)) = PLAIN.iter().find(|(plain, _)| *plain == key) {
        return Some((key.to_owned(), value));
    }
    let (section, middle, last) = parts(key)?;
    if section == "hook" && !middle.is_empty() {
        return Some((format!("hook.{middle}.enabled"), "false"));
    }
    if is_list(key) {
        return Some((key.to_owned(), ""));
    }
    let named = NAMED.iter().find(|(one, name, _)| (section, last) == (*one, *name));
    named.map(|(_, _, value)| (key.to_owned(), *value))
}

/// Splits a key in git's normal spelling into section, subsection and name.
fn parts(key: &str) -> Option<(&str, &str, &str)> {
    let (section, rest) = key.split_once('.')?;
    let (middle, last) = rest.rsplit_once('.').unwrap_or(("", rest));
    Some((section, middle, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(scope: Scope, key: &str, value: &str) -> Entry {
        Entry { scope, key: key.to_owned(), value: value.to_owned() }
    }

    fn overruled(entries: &[(Scope, &str, &str)]) -> Vec<(String, String)> {
        let entries: Vec<Entry> =
            entries.iter().map(|(scope, key, value)| entry(*scope, key, value)).collect();
        ConfigOverrides::of(&entries, Found::ByDotGit).settings
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn a_program_of_the_repository_is_overruled() {
        use Scope::Repository;
        for (key, value, expected) in [
            ("core.fsmonitor", "./x", &[("core.fsmonitor", "false")][..]),
            ("core.fsmonitor", "true", &[]),
            ("core.sshcommand", "./x", &[("core.sshcommand", "ssh")]),
            ("filter.a.b.clean", "./x", &[("filter.a.b.clean", "")]),
            ("credential.helper", "x", &[("credential.helper", "")]),
            ("credential.https://h.helper", "x", &[("credential.https://h.helper", "")]),
            ("hook.a.command", "x", &[("hook.a.enabled", "false")]),
            ("user.name", "x", &[]),
            ("diff.renames", "true", &[]),
        ] {
            assert_eq!(overruled(&[(Repository, key, value)]), pairs(expected), "{key}");
            assert_eq!(overruled(&[(Scope::User, key, value)]), [], "the user's own: {key}");
        }
    }

    #[test]
    fn it_is_overruled_by_what_the_user_has_set() {
        use Scope::{Repository, User};
        let lfs = ("filter.lfs.clean", "git-lfs clean -- %f");
        let both = [(User, lfs.0, lfs.1), (Repository, lfs.0, "./x")];
        assert_eq!(overruled(&both), pairs(&[lfs]));
        let helper = "credential.helper";
        let three = [(User, helper, "a"), (User, helper, "b"), (Repository, helper, "./x")];
        assert_eq!(overruled(&three), pairs(&[(helper, ""), (helper, "a"), (helper, "b")]));
    }

    /// 8/TERMINAL: git does not call this program when this program calls git.
    #[test]
    fn the_own_hook_is_overruled_wherever_it_is_set() {
        use Scope::{Repository, User};
        let (key, own) = ("core.fsmonitor", "git-coord hook fsmonitor");
        assert_eq!(overruled(&[(User, key, own)]), pairs(&[(key, "false")]));
        assert_eq!(overruled(&[(Repository, key, own)]), pairs(&[(key, "false")]));
        let both = [(User, key, own), (Repository, key, own)];
        assert!(overruled(&both).iter().all(|(_, value)| value == "false"));
        assert_eq!(overruled(&[(User, key, "true")]), []);
    }

    #[test]
    fn only_a_partial_clone_that_is_somebodys_fetches() {
        use Fetching::{Allowed, NamesProgram, Never, NotNamed};
        use Scope::{Repository, User};
        for (scope, key, value, somebodys, come_upon) in [
            (Repository, "extensions.partialclone", "o", Allowed, NotNamed),
            (Repository, "remote.o.promisor", "true", Allowed, NotNamed),
            (Repository, "remote.o.promisor", "false", Never, Never),
            (Repository, "remote.o.url", "x", Never, Never),
            (User, "remote.o.promisor", "true", Never, Never),
        ] {
            let fetching = |found| ConfigOverrides::of(&[entry(scope, key, value)], found).fetching;
            assert_eq!(fetching(Found::ByDotGit), somebodys, "{key}={value}");
            assert_eq!(fetching(Found::Named), somebodys, "{key}={value}");
            assert_eq!(fetching(Found::AsBare), come_upon, "{key}={value}");
        }
        let promise = entry(Repository, "remote.o.promisor", "true");
        let own = entry(User, "remote.o.uploadpack", "x");
        let theirs = entry(Repository, "remote.o.uploadpack", "x");
        let fetching = |entries: &[&Entry]| {
            let entries: Vec<Entry> = entries.iter().copied().cloned().collect();
            ConfigOverrides::of(&entries, Found::ByDotGit).fetching
        };
        assert_eq!(fetching(&[&promise, &theirs]), NamesProgram);
        assert_eq!(fetching(&[&theirs, &promise]), NamesProgram);
        assert_eq!(fetching(&[&own, &theirs, &promise]), Allowed, "the user's own comes first");
        assert_eq!(fetching(&[&theirs]), Never);
    }
}
