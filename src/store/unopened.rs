//! What can be told of a repository that cannot be opened: with a slip in its configuration, of
//! another owner, or of a kind that no git here knows.
//!
//! Nothing of it is trusted or run. All that is wanted is whether agents coordinate here, so that a
//! hook which cannot answer is not taken for one that has nothing to say.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::core::environment::Environment;
use crate::store::config_env::normal_key;
use crate::store::found::looks_bare;
use crate::store::layout::{NAMESPACE, helpers};

/// A repository that is there and cannot be opened.
#[derive(Clone, Debug)]
pub struct Unopened {
    common_dir: PathBuf,
}

impl Unopened {
    /// The one that the current directory belongs to, or that the caller has named.
    pub fn find(environment: &Environment) -> Option<Unopened> {
        let here = std::env::current_dir().ok()?;
        let named = environment.os("GIT_DIR").filter(|path| !path.is_empty());
        let git_dir = match named {
            Some(path) => here.join(path),
            None => here.ancestors().find_map(git_dir_in)?,
        };
        Some(Unopened { common_dir: common_dir_of(&git_dir) })
    }

    /// Whether anybody has ever coordinated here.
    pub fn is_in_use(&self) -> bool {
        let refs = self.common_dir.join(NAMESPACE.trim_end_matches('/'));
        helpers(&self.common_dir).is_dir() || refs.is_dir()
    }

    /// What its configuration says line by line, whatever the lines around are.
    pub fn settings(&self) -> BTreeMap<String, String> {
        fs::read(self.common_dir.join("config"))
            .map(|text| settings_in(&String::from_utf8_lossy(&text)))
            .unwrap_or_default()
    }
}

/// The git directory of the work tree with that top, or the directory itself if it is bare.
fn git_dir_in(directory: &Path) -> Option<PathBuf> {
    let inside = directory.join(".git");
    if let Ok(text) = fs::read_to_string(&inside) {
        let target = text.strip_prefix("gitdir:")?.trim();
        return Some(directory.join(target));
    }
    if inside.is_dir() {
        return Some(inside);
    }
    looks_bare(directory).then(|| directory.to_owned())
}

fn common_dir_of(git_dir: &Path) -> PathBuf {
    let common = fs::read_to_string(git_dir.join("commondir"));
    common.map_or_else(|_| git_dir.to_owned(), |path| git_dir.join(path.trim_end()))
}

/// Keys with plain values, as `git config` writes them: a heading, and one key on each line.
fn settings_in(text: &str) -> BTreeMap<String, String> {
    let mut section = None;
    let mut values = BTreeMap::new();
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            section = heading(line);
        } else if let Some(section) = &section
            && !line.is_empty()
            && !line.starts_with(['#', ';'])
        {
            let (key, value) = line.split_once('=').unwrap_or((line, "true"));
            if let Ok(key) = normal_key(&format!("{section}.{}", key.trim())) {
                values.insert(key, value.trim().trim_matches('"').to_owned());
            }
        }
    }
    values
}

/// `[section]` or `[section "subsection"]`, as keys spell it.
fn heading(line: &str) -> Option<String> {
    let inside = line.strip_prefix('[')?.strip_suffix(']')?;
    Some(match inside.split_once(' ') {
        Some((section, sub)) => format!("{section}.{}", sub.trim().trim_matches('"')),
        None => inside.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_in_one_line_leaves_the_others_readable() {
        let text = "[core]\n\tbare = false\n[coord]\n\tenabled = true\n# [coord]\n\
                    [coord \"hook\"]\n\tfailClosed\n[broken\nttl = 1h\n[coord]\n\tttl = \"2h\"\n";
        let values = settings_in(text);
        let get = |key: &str| values.get(key).map(String::as_str);
        assert_eq!(get("coord.enabled"), Some("true"));
        assert_eq!(get("coord.hook.failclosed"), Some("true"));
        assert_eq!(get("coord.ttl"), Some("2h"));
        assert_eq!(values.len(), 4, "what stands below a broken heading is nobody's: {values:?}");
    }

    #[test]
    fn a_linked_worktree_leads_to_what_all_share() {
        let home = tempfile::tempdir().unwrap();
        let main = home.path().join("main/.git");
        let linked = home.path().join("linked");
        fs::create_dir_all(main.join("worktrees/linked")).unwrap();
        fs::create_dir_all(linked.join("deep")).unwrap();
        fs::write(main.join("worktrees/linked/commondir"), "../..\n").unwrap();
        let own = main.join("worktrees/linked");
        fs::write(linked.join(".git"), format!("gitdir: {}\n", own.display())).unwrap();
        let git_dir = linked.join("deep").ancestors().find_map(git_dir_in).unwrap();
        let unopened = Unopened { common_dir: common_dir_of(&git_dir) };
        assert!(!unopened.is_in_use());
        fs::create_dir_all(main.join("refs/coord")).unwrap();
        assert!(unopened.is_in_use());
    }
}
