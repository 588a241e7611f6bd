//! A pack is protected, complete and read-only once it is visible.

use std::fs;

use super::super::*;
use super::{NOTE, assert_all_there, draft, install, installed, packs};
use crate::store::git::pack::Pack;
use crate::store::git::refs::{RefName, Refs, Swap};
use crate::store::layout::NAMESPACE;
use crate::store::testing::{self, Repo, entry, new_objects};

#[cfg(unix)]
#[test]
fn packs_are_read_only_as_gits_are() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    let (name, _) = installed(&packs, "text");
    for part in [Part::Pack, Part::Index] {
        let mode = fs::metadata(packs.path(&name, part)).unwrap().permissions().mode();
        assert_eq!(mode & 0o222, 0);
    }
}

#[test]
fn the_same_objects_twice_are_two_packs_with_protections_of_their_own() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    let objects = entry(repo.hash, "again", None);
    let (first, second) = (install(&packs, &objects), install(&packs, &objects));
    assert_ne!(first.name(), second.name());
    let second_name = second.name().clone();
    first.release().unwrap();
    assert!(packs.path(&second_name, Part::Keep).exists());
}

#[test]
fn what_is_kept_survives_gc_and_what_is_dropped_does_not() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    let objects = entry(repo.hash, "text", None);
    let guard = install(&packs, &objects);
    repo.git(&["gc", "--quiet", "--prune=now"]);
    assert_all_there(&repo, &objects);
    drop(guard);
    repo.git(&["gc", "--quiet", "--prune=now"]);
    assert!(!repo.try_git(&["cat-file", "-e", &objects[2].id(repo.hash).to_string()]));
}

#[cfg(unix)]
#[test]
fn protection_lock_and_ref_are_one_file() {
    use std::os::unix::fs::MetadataExt as _;
    let inode = |path: &Path| fs::metadata(path).unwrap().ino();
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    let refs = Refs::new(repo.path(), repo.hash, testing::FILES);
    let objects = entry(repo.hash, "text", None);
    let next = draft(&packs, objects[2].id(repo.hash));
    let pack = Pack::of_new(&new_objects(repo.hash, &objects));
    let guard = packs.install(&pack, Some(&next)).unwrap();
    let written = inode(next.file().path);
    assert_eq!(inode(&packs.path(guard.name(), Part::Keep)), written);
    repo.git(&["gc", "--quiet", "--prune=now"]);
    let name: RefName = format!("{NAMESPACE}runs").parse().unwrap();
    assert_eq!(refs.swap(&name, None, &next, &NOTE).unwrap(), Swap::Done);
    assert_eq!(inode(&repo.path().join(name.as_str())), written);
    guard.release().unwrap();
    drop(next);
    repo.git(&["gc", "--quiet", "--prune=now"]);
    assert_all_there(&repo, &objects);
    assert_eq!(fs::read_dir(packs.staging()).unwrap().count(), 0);
}

#[test]
fn a_failed_installation_leaves_nothing_visible() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    fs::remove_dir(&packs.directory).unwrap();
    fs::write(&packs.directory, "not a directory").unwrap();
    let objects = new_objects(repo.hash, &entry(repo.hash, "x", None));
    let error = packs.install(&Pack::of_new(&objects), None);
    assert!(error.unwrap_err().to_string().contains("objects/pack"));
    assert_eq!(fs::read_dir(packs.staging()).unwrap().count(), 0);
}
