//! A plan: what is to be done, as data, so that it can be shown, tested and only then carried out.

use std::path::PathBuf;

use crate::store::os::files::Rights;

/// One thing that is looked after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// What it is, for people.
    pub what: String,
    /// What has to be done about it.
    pub need: Need,
}

/// What has to be done about a thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Need {
    /// Nothing.
    AlreadySo,
    /// Nothing that can be done here; worth knowing.
    Note,
    /// These acts, in this order. Each leaves everything whole, and all can be done again.
    Change(Vec<Act>),
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Put a file somewhere, in the place of what is there.
    Write {
        /// Where.
        path: PathBuf,
        /// All of it.
        content: Vec<u8>,
        /// Who may do what with it.
        rights: Rights,
    },
    /// Give a file a second name.
    Link {
        /// Its name.
        from: PathBuf,
        /// The new one, which must be free.
        to: PathBuf,
    },
    /// Give a file another name, in the place of what has it.
    Rename {
        /// Its name.
        from: PathBuf,
        /// The new one.
        to: PathBuf,
    },
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

/// A key and a value of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The key as people spell it.
    pub key: String,
    /// One value.
    pub value: String,
}

/// Makes hooks act.
pub const ENABLED: &str = "coord.enabled";
/// Keeps our refs out of `git log`.
pub const DECORATION: &str = "log.excludeDecoration";

impl Item {
    /// A thing that is as it should be.
    pub fn already_so(what: impl Into<String>) -> Item {
        Item { what: what.into(), need: Need::AlreadySo }
    }

    /// A thing worth knowing.
    pub fn note(what: impl Into<String>) -> Item {
        Item { what: what.into(), need: Need::Note }
    }

    /// A thing to be changed.
    pub fn change(what: impl Into<String>, acts: impl Into<Vec<Act>>) -> Item {
        Item { what: what.into(), need: Need::Change(acts.into()) }
    }

    /// Whether something is to be done.
    pub fn is_change(&self) -> bool {
        matches!(self.need, Need::Change(_))
    }
}

impl Setting {
    /// That value of that key.
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Setting {
        Setting { key: key.into(), value: value.into() }
    }

    /// Whether it is among those.
    pub fn is_in(&self, local: &[Setting]) -> bool {
        let is_same =
            |set: &Setting| set.key.eq_ignore_ascii_case(&self.key) && set.value == self.value;
        local.iter().any(is_same)
    }

    /// As people write it.
    pub fn shown(&self) -> String {
        format!("configuration {} = {}", self.key, self.value)
    }
}

/// What is there of `--state`: every ref by its name, and directories of helper files.
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
