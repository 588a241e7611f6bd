//! The cost of an edit hook that merges packs before it ends. Its time limit includes that.

use git_coord::store::git::object::{HashKind, NewObjects, Object, ObjectKind};
use git_coord::store::git::pack::Pack;
use git_coord::store::git::packs::Packs;
use git_coord::store::os::files::Files;
use git_coord::store::os::shared_mode::SharedMode;

use crate::repository::Repository;
use crate::table::compared;

const FILES: Files = Files { fsync: false, shared: SharedMode::Umask };
/// The number of packs of which a hook merges the smallest.
const PACKS: usize = 17;
/// The size of a pack. All of them together are just below what a hook merges.
const PACK_BYTES: usize = 240_000;

pub(crate) fn compare() {
    let merging = || {
        let repository = with_packs(PACKS);
        let took = repository.edit("edited/one");
        assert!(was_merged(&repository), "the hook merges");
        took
    };
    let merging_nothing = || with_packs(1).edit("edited/one");
    let what = format!("edit hook that merges {PACKS} packs, together just under 4 MB / nothing");
    compared(&what, "50 ms", merging, merging_nothing);
}

fn packs(repository: &Repository) -> Packs {
    let common = repository.path().join(".git");
    Packs::new(&common, &common.join("objects"), HashKind::Sha1, FILES)
}

/// Creates a repository with so many packs of ours besides those of a few holds.
fn with_packs(count: usize) -> Repository {
    let repository = Repository::with_holds(10);
    repository.run("git", &["config", "coord.enabled", "true"]);
    let packs = packs(&repository);
    let mut random = 1_u64;
    for _ in 0..count {
        let mut objects = NewObjects::new(HashKind::Sha1);
        for _ in 0..PACK_BYTES / BYTES_ON_DISK {
            objects.add(Object { kind: ObjectKind::Blob, bytes: document(&mut random) });
        }
        packs.install(&Pack::of_new(&objects), None).unwrap().release().unwrap();
    }
    repository
}

fn was_merged(repository: &Repository) -> bool {
    packs(repository).disk_usage().unwrap().redundant > 0
}

/// The size of a document in a pack, about.
const BYTES_ON_DISK: usize = 480;

/// Makes a document like those of holds, with random ids and names.
fn document(random: &mut u64) -> Vec<u8> {
    let mut next = || {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        *random >> 16
    };
    let lines = (0..8).map(|line| {
        let (id, name, fence) = (next(), next(), next());
        let path = format!("src/{name:012x}.rs");
        format!(r#"  "key{line}": {{"id": "{id:012x}", "pattern": "{path}", "fence": {fence}}},"#)
    });
    lines.collect::<Vec<_>>().join("\n").into_bytes()
}
