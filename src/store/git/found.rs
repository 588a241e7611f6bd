//! How a repository was found, and whether it may be used.
//!
//! Git looks for `.git` in each directory upwards, and also takes a directory for a repository that
//! merely looks like one. A clone may contain such a directory, with a configuration of its own.
//! `safe.bareRepository` keeps git from using it, and this program too.

use std::path::{Path, PathBuf};

/// How a repository was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The caller has named it: `GIT_DIR`, `git --git-dir`.
    Named,
    /// A `.git` leads to it, or it is inside of one.
    ByDotGit,
    /// It looks like a repository, and the current directory is in it.
    AsBare,
}

impl Found {
    /// Determines how a repository was found from the directory `here`. Both paths have their
    /// symbolic links resolved.
    pub fn tell(is_named: bool, git_dir: &Path, here: &Path) -> Found {
        match () {
            () if is_named => Found::Named,
            () if here.starts_with(git_dir) && !belongs_to_dot_git(git_dir) => Found::AsBare,
            () => Found::ByDotGit,
        }
    }
}

/// Tells whether `safe.bareRepository` permits a bare repository that was found and not named. Git
/// reads the setting only from the user's own configuration.
pub fn is_bare_usable(setting: Option<&str>) -> bool {
    matches!(setting, None | Some("all"))
}

/// Tells whether git creates such a git directory itself: in a work tree, for a linked worktree,
/// for a submodule. These are not bare repositories, although a caller may be inside of them.
pub fn belongs_to_dot_git(git_dir: &Path) -> bool {
    let names: Vec<_> = git_dir.iter().collect();
    let is_below =
        |pair: &[_]| pair[0] == ".git" && (pair[1] == "worktrees" || pair[1] == "modules");
    // Another component has to follow the two.
    let inner = names.len().saturating_sub(1);
    names.last().is_some_and(|name| *name == ".git") || names[..inner].windows(2).any(is_below)
}

/// Walks upwards to the first repository, as git does. Returns its path if it is a bare one that
/// nobody has named.
pub fn bare_around(here: &Path) -> Option<PathBuf> {
    for directory in here.ancestors() {
        if directory.join(".git").symlink_metadata().is_ok() {
            return None;
        }
        if looks_bare(directory) {
            return (!belongs_to_dot_git(directory)).then(|| directory.to_owned());
        }
    }
    None
}

/// Tells whether a directory looks like a repository.
pub fn looks_bare(directory: &Path) -> bool {
    let has = |name: &str| directory.join(name);
    has("HEAD").symlink_metadata().is_ok() && has("objects").is_dir() && has("refs").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_is_found_as_git_finds_it() {
        for (git_dir, here, expected) in [
            ("/a/.git", "/a", Found::ByDotGit),
            ("/a/.git", "/a/src", Found::ByDotGit),
            ("/a/.git", "/a/.git/refs", Found::ByDotGit),
            ("/a/.git/worktrees/b", "/a/.git/worktrees/b", Found::ByDotGit),
            ("/a/.git/modules/m", "/a/.git/modules/m/refs", Found::ByDotGit),
            ("/a/.git/modules/m", "/a/m", Found::ByDotGit),
            ("/a/.git/inside", "/a/.git/inside", Found::AsBare),
            ("/a/.git/modules", "/a/.git/modules", Found::AsBare),
            ("/a/b.git", "/a/b.git", Found::AsBare),
            ("/a/b.git", "/a/b.git/refs", Found::AsBare),
            ("/a/.bare", "/a", Found::ByDotGit),
            ("/a/.bare", "/a/.bare", Found::AsBare),
        ] {
            let (git_dir, here) = (Path::new(git_dir), Path::new(here));
            assert_eq!(Found::tell(false, git_dir, here), expected, "{git_dir:?} from {here:?}");
            assert_eq!(Found::tell(true, git_dir, here), Found::Named);
        }
    }

    #[test]
    fn what_is_no_word_of_gits_makes_nothing_usable() {
        assert!(is_bare_usable(None) && is_bare_usable(Some("all")));
        for word in ["explicit", "true", "", "All"] {
            assert!(!is_bare_usable(Some(word)), "{word}");
        }
    }

    #[test]
    fn a_bare_repository_is_seen_from_within() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let bare = home.join("work/w");
        for directory in ["work/w/objects", "work/w/refs/heads", "work/w/inner/.git"] {
            std::fs::create_dir_all(home.join(directory)).unwrap();
        }
        assert_eq!(bare_around(&bare), None, "it has no HEAD yet");
        std::fs::write(bare.join("HEAD"), "x").unwrap();
        assert_eq!(bare_around(&bare.join("refs/heads")), Some(bare.clone()));
        assert_eq!(bare_around(&bare.join("inner")), None, "another one is nearer");
        assert_eq!(bare_around(&home.join("work")), None);
    }
}
