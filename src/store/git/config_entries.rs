//! Single settings with their scope: the user, or the repository.

use git2::ConfigLevel;

use crate::store::git::config::ConfigError;

/// The origin of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The user or the administrator: system and global configuration, `git -c` and the
    /// environment.
    User,
    /// The repository or the worktree, with their includes.
    Repository,
}

impl Scope {
    fn of_level(level: ConfigLevel) -> Scope {
        match level {
            ConfigLevel::ProgramData
            | ConfigLevel::System
            | ConfigLevel::XDG
            | ConfigLevel::Global => Scope::User,
            _ => Scope::Repository,
        }
    }

    fn of_word(word: &str) -> Scope {
        match word {
            "system" | "global" | "command" => Scope::User,
            _ => Scope::Repository,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub scope: Scope,
    /// The key in git's normal spelling.
    pub key: String,
    /// The value; `true` for a key without one.
    pub value: String,
}

/// Lists the settings of the files that libgit2 has read, in ascending precedence.
pub fn of_files(files: &git2::Config, ignores_xdg: bool) -> Result<Vec<Entry>, ConfigError> {
    let mut entries = Vec::new();
    files.entries(None)?.for_each(|entry| {
        if !(ignores_xdg && entry.level() == ConfigLevel::XDG) {
            let key = String::from_utf8_lossy(entry.name_bytes()).into_owned();
            let scope = Scope::of_level(entry.level());
            entries.push(Entry { scope, key, value: value_text(entry) });
        }
    })?;
    Ok(entries)
}

/// Parses the output of `git config --list --null --show-scope`: a scope, then a key with its
/// value.
pub fn of_listing(listed: &[u8]) -> Vec<Entry> {
    let listed = String::from_utf8_lossy(listed);
    let mut entries = Vec::new();
    let mut parts = listed.split_terminator('\0');
    while let (Some(scope), Some(pair)) = (parts.next(), parts.next()) {
        let (key, value) = pair.split_once('\n').unwrap_or((pair, "true"));
        let scope = Scope::of_word(scope);
        entries.push(Entry { scope, key: key.to_owned(), value: value.to_owned() });
    }
    entries
}

fn value_text(entry: &git2::ConfigEntry<'_>) -> String {
    if entry.has_value() {
        String::from_utf8_lossy(entry.value_bytes()).into_owned()
    } else {
        "true".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listing_tells_who_has_set_what() {
        let listed = b"global\0a.b\nc\0local\0d.e\0worktree\0f.g\nh\ni\0command\0j.k\n\0";
        let entries = of_listing(listed);
        let told: Vec<(Scope, &str, &str)> =
            entries.iter().map(|e| (e.scope, e.key.as_str(), e.value.as_str())).collect();
        let expected = [
            (Scope::User, "a.b", "c"),
            (Scope::Repository, "d.e", "true"),
            (Scope::Repository, "f.g", "h\ni"),
            (Scope::User, "j.k", ""),
        ];
        assert_eq!(told, expected);
    }
}
