//! Maintenance removes what dead processes left, and nothing of live ones.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use super::super::*;
use super::{draft, installed, packs};
use crate::store::git::pack::Pack;
use crate::store::machine::queue::Queue;
use crate::store::testing::{self, Repo, entry, eventually, new_objects};

#[test]
fn only_keeps_of_dead_processes_of_this_host_are_removed() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    let here = ProcessIdentity::current().to_string();
    let start = here.split(' ').find(|word| word.starts_with("start=")).unwrap();
    let host = here.split(' ').find(|word| word.starts_with("host=")).unwrap();
    let cases = [
        ("dead", format!("git-coord {}\n", here.replace(start, "start=1")), false),
        ("alive", format!("git-coord {here}\n"), true),
        ("elsewhere", format!("git-coord {}\n", here.replace(host, "host=other")), true),
        ("another program's", format!("fetch-pack {}\n", here.replace(start, "start=1")), true),
    ];
    for (whose, content, stays) in &cases {
        let (name, _) = installed(&packs, whose);
        let keep = packs.path(&name, Part::Keep);
        fs::write(&keep, content).unwrap();
        assert_eq!(
            packs.maintain(Budget::COMMAND).unwrap().keeps_removed,
            usize::from(!stays),
            "{whose}"
        );
        assert_eq!(keep.exists(), *stays, "{whose}");
    }
    let (name, _) = installed(&packs, "the user's");
    let keep = packs.path(&name, Part::Keep);
    fs::write(&keep, "").unwrap();
    make_old(&keep);
    assert_eq!(packs.maintain(Budget::COMMAND).unwrap().keeps_removed, 0, "not of the same time");
    fs::remove_file(&keep).unwrap();
    fs::write(&keep, "").unwrap();
    assert_eq!(packs.maintain(Budget::COMMAND).unwrap().keeps_removed, 1, "emptied by a power cut");
    // Not named like ours, so not ours, whatever the content.
    let users = packs.directory.join(format!("pack-{}.keep", "1".repeat(40)));
    fs::write(&users, &cases[0].1).unwrap();
    assert_eq!(packs.maintain(Budget::COMMAND).unwrap().keeps_removed, 0);
    assert!(users.exists());
}

/// A ref's next value serves as the `.keep`.
#[test]
fn a_keep_that_is_signed_stays_as_long_as_its_signer() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    let here = ProcessIdentity::current().to_file_name().unwrap();
    let word = |key: &str| here.split(',').find(|word| word.starts_with(key)).unwrap();
    let dead = here.replace(word("start="), "start=1");
    let elsewhere = dead.replace(word("host="), "host=other");
    let cases =
        [(Some(&here), true), (Some(&elsewhere), true), (Some(&dead), false), (None, false)];
    for (number, (signer, stays)) in cases.into_iter().enumerate() {
        let objects = new_objects(repo.hash, &entry(repo.hash, &format!("{signer:?}"), None));
        let next = draft(&packs, repo.commit(number));
        let guard = packs.install(&Pack::of_new(&objects), Some(&next)).unwrap();
        let (signature, keep) = (next.file().path, packs.path(guard.name(), Part::Keep));
        make_old(signature);
        assert_eq!(
            packs.maintain(Budget::COMMAND).unwrap(),
            MaintenanceReport::default(),
            "its owner lives"
        );
        assert!(signature.exists() && keep.exists());
        // As on a file system that claims to link, but copies.
        let content = fs::read(&keep).unwrap();
        fs::remove_file(&keep).unwrap();
        fs::write(&keep, content).unwrap();
        match signer {
            Some(signer) => {
                let other = signature.with_file_name(format!("lock,{signer},9"));
                fs::rename(signature, other).unwrap();
            }
            None => fs::remove_file(signature).unwrap(),
        }
        assert_eq!(
            packs.maintain(Budget::COMMAND).unwrap().keeps_removed,
            usize::from(!stays),
            "{signer:?}"
        );
        assert_eq!(keep.exists(), stays, "{signer:?}");
    }
}

/// An index that was moved aside comes back if git needs its pack, so nobody else may remove that
/// pack meanwhile.
#[test]
fn a_pack_whose_index_is_set_aside_is_left_to_whoever_did_so() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    let (name, _) = installed(&packs, "about to go");
    fs::create_dir_all(packs.records()).unwrap();
    let (index, aside) = (packs.path(&name, Part::Index), packs.set_aside(&name));
    fs::rename(&index, &aside).unwrap();
    make_old(&aside);
    let queue = Queue::new(&packs.common, "packs", packs.files);
    let place = queue.enter(testing::at_last()).unwrap().expect("nobody else merges");
    packs.maintain(Budget::COMMAND).unwrap();
    assert!(packs.path(&name, Part::Pack).exists() && aside.exists());
    drop(place);
    let cleared = || packs.maintain(Budget::COMMAND).unwrap().leftovers_removed == 1;
    eventually("the end of the pack", || cleared().then_some(()));
    assert!(!packs.path(&name, Part::Pack).exists() && !aside.exists(), "its remover was killed");
}

#[test]
fn leftovers_of_the_dead_are_collected_and_nothing_younger() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    let (torn, _) = installed(&packs, "torn");
    fs::remove_file(packs.path(&torn, Part::Index)).unwrap();
    fs::remove_file(packs.path(&torn, Part::Pack)).unwrap();
    fs::write(packs.path(&torn, Part::Pack), "PACK, and no more").unwrap();
    let (in_progress, _) = installed(&packs, "in progress");
    fs::remove_file(packs.path(&in_progress, Part::Index)).unwrap();
    let keep = format!("git-coord {}\n", ProcessIdentity::current());
    fs::write(packs.path(&in_progress, Part::Keep), keep).unwrap();
    for name in ["old", "young"] {
        fs::write(packs.staging().join(name), "").unwrap();
    }
    make_old(&packs.staging().join("old"));
    // A child that another test starts has our locks until it executes its program.
    let mut removed = 0;
    eventually("the second one", || {
        removed += packs.maintain(Budget::COMMAND).unwrap().leftovers_removed;
        (removed == 2).then_some(())
    });
    assert!(!packs.path(&torn, Part::Pack).exists());
    assert!(packs.path(&in_progress, Part::Pack).exists());
    assert!(packs.staging().join("young").exists() && !packs.staging().join("old").exists());
}

/// `git gc` removes an index whose pack it has not seen, and a ref may rely on that pack.
#[test]
fn a_pack_that_has_lost_its_index_gets_it_back() {
    for hash in [HashKind::Sha1, HashKind::Sha256] {
        let repo = Repo::new(hash);
        let packs = packs(&repo);
        let (name, _) = installed(&packs, "an entry");
        let index = packs.path(&name, Part::Index);
        let before = fs::read(&index).unwrap();
        fs::remove_file(&index).unwrap();
        eventually("the index", || packs.rebuild_indexes().unwrap().then_some(()));
        assert_eq!(fs::read(&index).unwrap(), before);
        assert!(!packs.rebuild_indexes().unwrap(), "there is nothing left to rebuild");
        fs::remove_file(&index).unwrap();
        let is_back = || packs.maintain(Budget::COMMAND).map(|_| index.exists()).unwrap();
        eventually("the index", || is_back().then_some(()));
    }
}

/// 8/NO-HARM: a process whose clock is ahead removes no file that another is about to install.
#[test]
fn what_is_old_by_our_clock_alone_stays() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    fs::create_dir_all(packs.staging()).unwrap();
    let (old, young) = (packs.staging().join("old"), packs.staging().join("young"));
    fs::write(&old, "").unwrap();
    fs::write(&young, "").unwrap();
    make_old(&old);
    let ahead = SystemTime::now() + Duration::from_secs(5 * 60 * 60);
    assert_eq!(packs.collect_staging(ahead).unwrap(), 1);
    assert!(young.exists() && !old.exists());
    assert_eq!(fs::read_dir(packs.staging()).unwrap().count(), 1, "the disk's time leaves no file");
}

fn make_old(path: &Path) {
    let old = SystemTime::now() - Duration::from_secs(2 * 60 * 60);
    File::options().append(true).open(path).unwrap().set_modified(old).unwrap();
}
