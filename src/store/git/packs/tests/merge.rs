//! Our packs are merged if there are many, and redundant ones go later, not beside git's own
//! maintenance.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use super::super::redundant::PACKS_BESIDE_MAX;
use super::super::*;
use super::{assert_all_there, in_use, install, installed, merge, packs, whole_packs};
use crate::store::git::object::{Object, ObjectKind};
use crate::store::testing::{Repo, entry, eventually};

#[test]
fn kept_packs_are_not_merged() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    let objects: Vec<_> = (0..20).map(|n| entry(repo.hash, &n.to_string(), None)).collect();
    let guard: Vec<PackGuard> = objects.iter().map(|objects| install(&packs, objects)).collect();
    assert_eq!(packs.maintain(Budget::COMMAND).unwrap(), MaintenanceReport::default());
    assert_eq!(whole_packs(&packs), 20);
    drop(guard);
    assert!(merge(&packs) > PACKS_MAX);
    assert_all_there(&repo, &objects.concat());
}

#[test]
fn packs_that_a_multi_pack_index_names_are_left_to_git() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    for number in 0..20 {
        installed(&packs, &number.to_string());
    }
    repo.git(&["multi-pack-index", "write"]);
    assert_eq!(packs.maintain(Budget::COMMAND).unwrap().packs_merged, 0);
    repo.git(&["fsck", "--strict"]);
    for number in 20..=20 + PACKS_MAX {
        installed(&packs, &number.to_string());
    }
    merge(&packs);
    repo.git(&["fsck", "--strict"]);
    // A file that is not understood may name any pack.
    fs::remove_file(packs.directory.join("multi-pack-index")).unwrap();
    fs::write(packs.directory.join("multi-pack-index"), "MIDX, but strange").unwrap();
    assert_eq!(packs.maintain(Budget::COMMAND).unwrap().packs_merged, 0);
}

/// Makes so many packs that some are merged, and returns their names.
fn merged(packs: &Packs) -> Vec<PackName> {
    for number in 0..=PACKS_MAX {
        installed(packs, &number.to_string());
    }
    merge(packs);
    let merges = packs.recorded_merges().unwrap();
    assert_eq!(merges.len(), 1);
    merges[0].names().to_vec()
}

/// Lets this many minutes pass for the merges of a repository.
fn pass_minutes(packs: &Packs, minutes: u64) {
    for entry in fs::read_dir(packs.records()).unwrap() {
        let file = File::options().append(true).open(entry.unwrap().path()).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(minutes * 60)).unwrap();
    }
}

fn are_there(packs: &Packs, names: &[PackName]) -> bool {
    let there = |name| [Part::Pack, Part::Index].map(|part| packs.path(name, part).exists());
    let there: BTreeSet<bool> = names.iter().flat_map(there).collect();
    assert_eq!(there.len(), 1, "all of them or none");
    there.contains(&true)
}

/// 8/NO-HARM: a git that has listed merged packs finds them for some minutes.
#[test]
fn merged_packs_go_after_a_while_and_not_beside_gits_maintenance() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    let names = merged(&packs);
    let maintain = || packs.maintain(Budget::COMMAND).unwrap();
    maintain();
    assert!(are_there(&packs, &names), "they are new");
    pass_minutes(&packs, 11);
    let here = ProcessIdentity::current().to_string();
    let host = here.rsplit_once("host=").unwrap().1;
    let signs = [
        (repo.path().join("gc.pid"), format!("{} {host}", std::process::id())),
        (repo.path().join("gc.pid"), "1 elsewhere".to_owned()),
        (repo.path().join("objects/maintenance.lock"), String::new()),
        (packs.directory.join("multi-pack-index.lock"), String::new()),
        (packs.directory.join("tmp_pack_a1b2c3"), String::new()),
        (packs.directory.join(".tmp-17-pack-0123"), String::new()),
    ];
    for (sign, content) in signs {
        fs::write(&sign, content).unwrap();
        maintain();
        assert!(are_there(&packs, &names), "{}", sign.display());
        File::options()
            .append(true)
            .open(&sign)
            .unwrap()
            .set_modified(SystemTime::UNIX_EPOCH)
            .unwrap();
        assert!(!packs.has_maintenance_files(SystemTime::now()).unwrap(), "{}", sign.display());
        fs::remove_file(&sign).unwrap();
    }
    // This gc has ended. A process that does not get the lock leaves the removal to the next.
    fs::write(repo.path().join("gc.pid"), format!("{} {host}", i32::MAX)).unwrap();
    eventually("the end of merged packs", || {
        maintain();
        (!are_there(&packs, &names)).then_some(())
    });
    assert_eq!(fs::read_dir(packs.records()).unwrap().count(), 0);
    assert_eq!(fs::read_dir(packs.staging()).unwrap().count(), 0);
    repo.git(&["fsck", "--strict"]);
}

/// 8/NO-HARM, 8/HOOKS: where only hooks write, large packs become many, because they are left to
/// git. That does not take the minutes from merged ones for which a git may need them.
#[test]
fn large_packs_do_not_hasten_the_end_of_merged_ones() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    for number in 0..=PACKS_BESIDE_MAX {
        let (name, _) = installed(&packs, &format!("large {number}"));
        let path = packs.path(&name, Part::Pack);
        fs::remove_file(&path).unwrap();
        // Nobody reads it, because it is large.
        File::create(&path).unwrap().set_len(3 << 20).unwrap();
    }
    for number in 0..=PACKS_MAX {
        installed(&packs, &number.to_string());
    }
    let maintain = || packs.maintain(Budget::HOOK).unwrap().packs_merged;
    eventually("a merge", || (maintain() == PACKS_MAX + 1).then_some(()));
    let names = packs.recorded_merges().unwrap()[0].names().to_vec();
    maintain();
    assert!(are_there(&packs, &names), "they are new");
    pass_minutes(&packs, 11);
    eventually("the end of merged packs", || {
        maintain();
        (!are_there(&packs, &names)).then_some(())
    });
}

/// 8/NO-HARM: nothing is merged while `git gc` runs, but as soon as it has ended.
#[test]
fn packs_are_not_merged_beside_gits_maintenance() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    fs::write(repo.path().join("objects/maintenance.lock"), "").unwrap();
    for number in 0..=PACKS_MAX + 3 {
        installed(&packs, &number.to_string());
        assert_eq!(packs.maintain(Budget::COMMAND).unwrap().packs_merged, 0);
    }
    fs::remove_file(repo.path().join("objects/maintenance.lock")).unwrap();
    assert!(merge(&packs) > PACKS_MAX);
}

#[test]
fn merged_packs_stay_where_the_merged_one_is_gone_or_an_index_names_them() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    let names = merged(&packs);
    pass_minutes(&packs, 11);
    repo.git(&["multi-pack-index", "write"]);
    packs.maintain(Budget::COMMAND).unwrap();
    assert!(are_there(&packs, &names));
    repo.git(&["multi-pack-index", "verify"]);

    let repo = Repo::new(HashKind::Sha1);
    let packs = self::packs(&repo);
    let names = merged(&packs);
    pass_minutes(&packs, 11);
    for name in packs.ours().unwrap().iter().filter(|name| !names.contains(name)) {
        fs::remove_file(packs.path(name, Part::Index)).unwrap();
        fs::remove_file(packs.path(name, Part::Pack)).unwrap();
    }
    eventually("packs that are in use again", || {
        packs.maintain(Budget::COMMAND).unwrap();
        assert!(are_there(&packs, &names), "as in a copy that was made meanwhile");
        (in_use(&packs) == names.len()).then_some(())
    });
}

/// 8/HOOKS: merges that are too long for a hook are left to a command.
#[test]
fn a_hook_merges_small_packs_only() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    for number in 0..=PACKS_MAX as u64 {
        // Incompressible data: each number is computed from the one before.
        let next = |last: &u64| Some(last.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(7));
        let numbers = std::iter::successors(Some(number), next).take(3 << 17);
        let bytes: Vec<u8> = numbers.flat_map(u64::to_be_bytes).collect();
        install(&packs, &[Object { kind: ObjectKind::Blob, bytes }]).release().unwrap();
    }
    assert_eq!(packs.maintain(Budget::HOOK).unwrap().packs_merged, 0);
    for number in 0..=PACKS_MAX {
        installed(&packs, &number.to_string());
    }
    let merge = |budget| {
        eventually("a merge", || {
            let merged = packs.maintain(budget).unwrap().packs_merged;
            (merged > 0).then_some(merged)
        })
    };
    assert_eq!(merge(Budget::HOOK), PACKS_MAX + 1, "the small ones");
    assert!(merge(Budget::COMMAND) > 5, "the large ones, as far as they fit");
    repo.git(&["fsck", "--strict"]);
}

#[test]
fn a_pack_that_is_damaged_or_has_deltas_is_left_alone() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    let (name, _) = installed(&packs, "damaged");
    let path = packs.path(&name, Part::Pack);
    let mut content = fs::read(&path).unwrap();
    content[14] ^= 0xff;
    fs::remove_file(&path).unwrap();
    fs::write(&path, &content).unwrap();
    for number in 0..=PACKS_MAX {
        installed(&packs, &number.to_string());
    }
    assert_eq!(
        packs.maintain(Budget::COMMAND).unwrap().packs_merged,
        0,
        "given up, but the next one knows"
    );
    merge(&packs);
    assert_eq!(fs::read(&path).unwrap(), content);
}

#[test]
fn packs_that_gc_takes_away_are_no_longer_counted() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    for number in 0..=PACKS_MAX {
        installed(&packs, &number.to_string());
    }
    repo.git(&["gc", "--quiet", "--prune=now"]);
    assert_eq!(packs.maintain(Budget::COMMAND).unwrap(), MaintenanceReport::default());
    assert!(packs.ours().unwrap().is_empty());
}
