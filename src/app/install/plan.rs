//! A plan: what is to be done, as data, so that it can be shown, tested and only then carried out.

use std::path::PathBuf;

use crate::store::os::files::Rights;

/// A part of the installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name, for people.
    pub what: String,
    pub need: Need,
}

/// The work that a part of the installation needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    AlreadySo,
    /// Nothing that we can do; the user should know.
    Note,
    /// These acts, in this order. Each leaves everything in a sound state, and can be repeated.
    Change(Vec<Act>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Write a file, and replace the one that is there.
    Write { path: PathBuf, content: Vec<u8>, rights: Rights },
    /// Make a hard link.
    Link {
        from: PathBuf,
        /// The new name, which must be free.
        to: PathBuf,
    },
    /// Rename a file, and replace the one that has the new name.
    Rename { from: PathBuf, to: PathBuf },
    /// Remove a file.
    Remove(PathBuf),
    /// Remove a directory unless something is in it.
    RemoveIfEmpty(PathBuf),
    /// Remove a directory with everything in it.
    RemoveAll(PathBuf),
    /// Give a key of the repository's configuration one more value.
    Add(Setting),
    /// Give a key of the repository's configuration this value only.
    Set(Setting),
    /// Take this value from a key of the repository's configuration.
    Unset(Setting),
    /// Delete a ref that still has this value.
    DeleteRef {
        /// Its full name.
        name: String,
        /// The object that it names.
        value: String,
    },
}

/// A key of git's configuration with one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The key as people spell it.
    pub key: String,
    pub value: String,
}

/// Makes hooks act.
pub const ENABLED: &str = "coord.enabled";
/// Keeps our refs out of `git log`.
pub const DECORATION: &str = "log.excludeDecoration";

/// Makes git call us when it reads the index.
pub const MONITOR: &str = "core.fsmonitor";
/// The value for that. Git gives it to a shell, with arguments behind it. A hook that fails is
/// ignored, and git would name a missing one each time.
pub const MONITOR_CALL: &str = "command -v git-coord >/dev/null 2>&1 && git-coord hook fsmonitor";

impl Item {
    pub fn already_so(what: impl Into<String>) -> Item {
        Item { what: what.into(), need: Need::AlreadySo }
    }

    pub fn note(what: impl Into<String>) -> Item {
        Item { what: what.into(), need: Need::Note }
    }

    pub fn change(what: impl Into<String>, acts: impl Into<Vec<Act>>) -> Item {
        Item { what: what.into(), need: Need::Change(acts.into()) }
    }

    pub fn is_change(&self) -> bool {
        matches!(self.need, Need::Change(_))
    }
}

impl Setting {
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Setting {
        Setting { key: key.into(), value: value.into() }
    }

    /// Tells whether the key has the value among these settings.
    pub fn is_in(&self, local: &[Setting]) -> bool {
        let is_same =
            |set: &Setting| set.key.eq_ignore_ascii_case(&self.key) && set.value == self.value;
        local.iter().any(is_same)
    }

    /// Names the setting for people.
    pub fn shown(&self) -> String {
        format!("configuration {} = {}", self.key, self.value)
    }
}

/// Plans to delete the state: every ref that still has its value, and the directories of helper
/// files.
pub fn without_state(refs: &[(String, String)], helpers: &[PathBuf]) -> Vec<Item> {
    let delete = |(name, value): &(String, String)| {
        let act = Act::DeleteRef { name: name.clone(), value: value.clone() };
        Item::change(format!("ref {name} (was {value})"), [act])
    };
    let remove = |path: &PathBuf| {
        let what = format!("directory {}", path.display());
        Item::change(what, [Act::RemoveAll(path.clone())])
    };
    refs.iter().map(delete).chain(helpers.iter().map(remove)).collect()
}
