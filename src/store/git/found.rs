//! How a repository was found, and which of those that are found count.
//!
//! Git looks for `.git` in each directory upwards, and takes a directory for a repository that
//! merely looks like one. A clone may bring such a directory along, and its configuration with it.
//! `safe.bareRepository` keeps git from using it, and us.

use std::path::{Path, PathBuf};

/// How a repository was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The caller has named it: `GIT_DIR`, `git --git-dir`.
    Named,
    /// A `.git` leads to it, or it lies in one.
    ByDotGit,
    /// It looks like a repository, and the current directory is in it.
    AsBare,
}

impl Found {
    /// Tells how the repository with that git directory was found by one who stands at `here`. Both
    /// paths have their symbolic links resolved.
    pub fn tell(is_named: bool, git_dir: &Path, here: &Path) -> Found {
        match () {
            () if is_named => Found::Named,
            () if here.starts_with(git_dir) && !belongs_to_dot_git(git_dir) => Found::AsBare,
            () => Found::ByDotGit,
        }
    }
}

/// Which bare repositories count that were found and not named: `safe.bareRepository`. Git reads it
/// nowhere but in the user's own configuration.
pub fn is_bare_usable(setting: Option<&str>) -> bool {
    matches!(setting, None | Some("all"))
}

/// Whether a git directory is one that git makes for itself: in a work tree, of a linked worktree,
/// of a submodule. These are no bare repositories, although one may stand in them.
fn belongs_to_dot_git(git_dir: &Path) -> bool {
    let names: Vec<_> = git_dir.iter().collect();
    let is_below =
        |pair: &[_]| pair[0] == ".git" && (pair[1] == "worktrees" || pair[1] == "modules");
    // Something has to follow the two.
    let inner = names.len().saturating_sub(1);
    names.last().is_some_and(|name| *name == ".git") || names[..inner].windows(2).any(is_below)
}

/// Walks upwards to the first repository, as git does. If it is a bare one that nobody has named,
/// tells where it is.
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

/// Whether a directory looks like a repository.
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
