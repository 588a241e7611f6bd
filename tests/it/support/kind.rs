//! Kinds of repositories: the storage of refs, the hash function, and the place that calls are made
//! from.

use std::fmt;

use super::content::Content;
use super::gits::{Git, Version, git_since};
use super::repo::Repo;

/// The storage of refs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RefFormat {
    Files,
    Reftable,
}

/// The hash function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hash {
    Sha1,
    Sha256,
}

/// The place that the calls of a test are made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Main,
    Worktree,
    Bare,
}

/// A kind of repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) refs: RefFormat,
    pub(crate) hash: Hash,
    pub(crate) place: Place,
}

impl Kind {
    /// Lists every combination.
    pub(crate) fn all() -> Vec<Kind> {
        let mut all = Vec::new();
        for refs in [RefFormat::Files, RefFormat::Reftable] {
            for hash in [Hash::Sha1, Hash::Sha256] {
                let places = [Place::Main, Place::Worktree, Place::Bare];
                all.extend(places.map(|place| Kind { refs, hash, place }));
            }
        }
        all
    }

    /// Returns the oldest git that supports the kind.
    pub(crate) fn needs(self) -> Version {
        match self.refs {
            RefFormat::Files => Version(2, 39),
            RefFormat::Reftable => Version(2, 45),
        }
    }

    fn ref_format_option(self) -> Option<&'static str> {
        (self.refs == RefFormat::Reftable).then_some("--ref-format=reftable")
    }

    fn hash_option(self) -> &'static str {
        match self.hash {
            Hash::Sha1 => "--object-format=sha1",
            Hash::Sha256 => "--object-format=sha256",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}/{:?}/{:?}", self.refs, self.hash, self.place)
    }
}

impl Repo {
    /// Creates a repository of this kind in the middle of a user's work; `None` if no git here can
    /// create it.
    pub(crate) fn of(kind: Kind) -> Option<Repo> {
        git_since(kind.needs(), &kind.to_string()).map(|git| Repo::made_by(git, kind))
    }

    /// Creates a repository with a given git, which must support the kind.
    pub(crate) fn made_by(git: &Git, kind: Kind) -> Repo {
        let mut repo = Repo::in_new_world();
        repo.prefer(git);
        let content = Content::usual();
        let init = ["init", "--quiet", "--initial-branch=main", "--template=", kind.hash_option()];
        repo.git(init.into_iter().chain(kind.ref_format_option()));
        content.commit_in(&repo);
        match kind.place {
            Place::Main => content.begin_in(&repo),
            Place::Worktree => {
                repo.git(["worktree", "add", "--quiet", "-b", "side", "../linked"]);
                repo.top = repo.world().join("linked");
                content.begin_in(&repo);
            }
            Place::Bare => {
                let clone = ["clone", "--quiet", "--bare", "--template=", ".", "../bare.git"];
                repo.git(clone.into_iter().chain(kind.ref_format_option()));
                repo.top = repo.world().join("bare.git");
                repo.git_dir.clone_from(&repo.top);
            }
        }
        repo.put_hook();
        repo
    }
}

#[test]
fn each_kind_is_what_it_says() {
    for kind in Kind::all() {
        let Some(repo) = Repo::of(kind) else { continue };
        let length = if kind.hash == Hash::Sha1 { 40 } else { 64 };
        assert_eq!(repo.git(["rev-parse", "HEAD"]).len(), length, "{kind}");
        let is_reftable = repo.git_dir().join("reftable").is_dir();
        assert_eq!(is_reftable, kind.refs == RefFormat::Reftable, "{kind}");
        let bare = repo.git(["rev-parse", "--is-bare-repository"]);
        assert_eq!(bare, (kind.place == Place::Bare).to_string(), "{kind}");
        let own = repo.git(["rev-parse", "--path-format=absolute", "--git-dir"]);
        let common = repo.git(["rev-parse", "--path-format=absolute", "--git-common-dir"]);
        assert_eq!(own != common, kind.place == Place::Worktree, "{kind}");
        assert_eq!(repo.git_dir().canonicalize().unwrap().to_str(), Some(common.as_str()));
    }
}
