//! What keeps git from running programs that a repository's own configuration names.
//!
//! Git runs much of what it finds there: filters, hooks, what talks to a remote. Whoever calls git
//! by hand has chosen to; whoever asks who holds a file has not. So settings of the repository
//! that name a program are overruled by the user's own, or by what git does without any.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::Command;

use crate::store::git::config_entries::{Entry, Scope, parse_boolean};
use crate::store::git::found::Found;

/// What holds for every call, whatever the configuration says: no hooks, no upkeep that a fetch
/// would start, no signature that is looked at.
const ALWAYS: [(&str, &str); 4] = [
    ("core.hookspath", "/dev/null"),
    ("gc.auto", "0"),
    ("log.showsignature", "false"),
    ("maintenance.auto", "false"),
];

/// Keys without a subsection that name a program, with what git does without one.
const PLAIN: [(&str, &str); 3] =
    [("core.alternaterefscommand", "true"), ("core.askpass", ""), ("core.sshcommand", "ssh")];

/// Keys that name a program, by section and last part, with what git does without one. Between the
/// two stands whatever the repository calls it. What no call of ours runs is not here: no merge, no
/// signature, no text of a difference.
const NAMED: [(&str, &str, &str); 3] =
    [("filter", "clean", ""), ("filter", "process", ""), ("filter", "required", "false")];

/// The protocols that git itself speaks. Of any other, the repository would choose the program.
const PROTOCOLS: &str = "file:git:http:https:ssh";

/// Whether git may fetch what a partial clone has left behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fetching {
    /// It has left nothing behind, as far as its configuration tells.
    #[default]
    Never,
    /// It has, but was only come upon: nobody has named it, and no `.git` leads to it.
    NotNamed,
    /// It has, but names a program for that, and git would run it whatever it is told.
    NamesProgram,
    /// It has, and is somebody's repository.
    Allowed,
}

/// What git is told at each call for one repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Restraint {
    /// Whether it may fetch.
    pub fetching: Fetching,
    /// Settings that overrule the repository's own.
    overruling: Vec<(String, String)>,
    /// Whether its own configuration names a program that connects to a remote.
    has_proxy: bool,
    /// Whether it has a key that cannot be spelled, and so cannot be overruled.
    has_unreadable_key: bool,
}

impl Restraint {
    /// Reads from all settings, weaker ones first, what has to be overruled.
    pub fn of(entries: &[Entry], found: Found) -> Restraint {
        let (mut restraint, mut names_program) = (Restraint::default(), false);
        let mut by_user: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for entry in entries.iter().filter(|entry| entry.scope == Scope::User) {
            by_user.entry(&entry.key).or_default().push(&entry.value);
        }
        for entry in entries.iter().filter(|entry| entry.scope == Scope::Repository) {
            restraint.has_proxy |= entry.key == "core.gitproxy";
            restraint.has_unreadable_key |= entry.key.contains(char::REPLACEMENT_CHARACTER);
            if is_promise(entry) {
                restraint.fetching = match found {
                    Found::AsBare => Fetching::NotNamed,
                    Found::Named | Found::ByDotGit => Fetching::Allowed,
                };
            }
            // Of this one git takes the first that it finds, so it cannot be overruled.
            names_program |=
                is_of_remote(entry, "uploadpack") && !by_user.contains_key(&*entry.key);
            let Some((key, plain)) = harmless(entry) else { continue };
            let own = by_user.get(key.as_str()).map(Vec::as_slice).unwrap_or_default();
            let mut overrule = |value: &str| restraint.overruling.push((key.clone(), value.into()));
            // An empty one ends the list before it. Of everything else, the last one counts.
            if is_list(&key) {
                overrule("");
                own.iter().copied().for_each(overrule);
            } else {
                overrule(own.last().copied().unwrap_or(plain));
            }
        }
        if names_program && restraint.fetching == Fetching::Allowed {
            restraint.fetching = Fetching::NamesProgram;
        }
        restraint
    }

    /// Restrains a call. What the caller's variables say is the user's own word and stays stronger.
    pub(super) fn apply(&self, command: &mut Command) {
        if self.has_unreadable_key {
            // Git stops at this: what it would run there, nobody can keep it from.
            command.env("GIT_CONFIG_COUNT", "a key of this repository is not UTF-8");
            return;
        }
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let count = variable("GIT_CONFIG_COUNT").and_then(|count| count.to_str()?.parse().ok());
        let given = |number: usize| {
            let get = |part: &str| std::env::var_os(format!("GIT_CONFIG_{part}_{number}"));
            Some((get("KEY")?, get("VALUE")?))
        };
        let always = ALWAYS.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let ours = always.chain(self.overruling.iter().cloned());
        let ours = ours.map(|(key, value)| (OsString::from(key), OsString::from(value)));
        let given: Option<Vec<_>> = (0..count.unwrap_or(0)).map(given).collect();
        // What is missing there is for git to complain of.
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

/// Keeps git from fetching. A git that is too old for the first variable would try, and finds that
/// no protocol is allowed.
pub(super) fn forbid_fetching(command: &mut Command) {
    command.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none");
}

/// Whether a setting says that some objects are elsewhere, promised by a remote.
fn is_promise(entry: &Entry) -> bool {
    match entry.key.as_str() {
        "extensions.partialclone" => !entry.value.is_empty(),
        _ => is_of_remote(entry, "promisor") && parse_boolean(&entry.value) != Some(false),
    }
}

fn is_of_remote(entry: &Entry, name: &str) -> bool {
    parts(&entry.key).is_some_and(|(section, _, last)| section == "remote" && last == name)
}

fn is_list(key: &str) -> bool {
    parts(key).is_some_and(|(section, _, last)| section == "credential" && last == "helper")
}

/// The key that has to be set where a setting names a program, and the value that names none.
fn harmless(entry: &Entry) -> Option<(String, &'static str)> {
    let key = entry.key.as_str();
    // As a boolean it means git's own program.
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

/// Section, subsection and name of a key in git's normal spelling.
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
        Restraint::of(&entries, Found::ByDotGit).overruling
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
            let fetching = |found| Restraint::of(&[entry(scope, key, value)], found).fetching;
            assert_eq!(fetching(Found::ByDotGit), somebodys, "{key}={value}");
            assert_eq!(fetching(Found::Named), somebodys, "{key}={value}");
            assert_eq!(fetching(Found::AsBare), come_upon, "{key}={value}");
        }
        let promise = entry(Repository, "remote.o.promisor", "true");
        let own = entry(User, "remote.o.uploadpack", "x");
        let theirs = entry(Repository, "remote.o.uploadpack", "x");
        let fetching = |entries: &[&Entry]| {
            let entries: Vec<Entry> = entries.iter().copied().cloned().collect();
            Restraint::of(&entries, Found::ByDotGit).fetching
        };
        assert_eq!(fetching(&[&promise, &theirs]), NamesProgram);
        assert_eq!(fetching(&[&theirs, &promise]), NamesProgram);
        assert_eq!(fetching(&[&own, &theirs, &promise]), Allowed, "the user's own comes first");
        assert_eq!(fetching(&[&theirs]), Never);
    }
}
