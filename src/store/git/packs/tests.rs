//! Our packs in real repositories, beside the user's packs and git's gc.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use super::redundant::{PACKS_BESIDE_MAX, redundant};
use super::*;
use crate::store::git::object::{Object, ObjectKind};
use crate::store::git::pack::Pack;
use crate::store::git::refs::{LogNote, RefName, Refs, Swap};
use crate::store::git::signature::{Draft, Signatures};
use crate::store::layout::NAMESPACE;
use crate::store::machine::queue::Queue;
use crate::store::testing::{self, HASHES, Repo, Worker, entry, eventually, new_objects};

const NOTE: LogNote<'static> =
    LogNote { committer: "A <a@example.com> 1700000000 +0000", message: "swap" };

fn packs(repo: &Repo) -> Packs {
    Packs::new(repo.path(), &repo.path().join("objects"), repo.hash, testing::FILES)
}

fn install(packs: &Packs, objects: &[Object]) -> PackGuard {
    packs.install(&Pack::of_new(&new_objects(packs.hash, objects)), None).unwrap()
}

/// Installs an entry of its own without parent, and releases it as after a swap.
fn installed(packs: &Packs, text: &str) -> (PackName, Vec<Object>) {
    let objects = entry(packs.hash, text, None);
    let guard = install(packs, &objects);
    let name = guard.name().clone();
    guard.release().unwrap();
    (name, objects)
}

/// Merges packs of which there are too many, and returns how many went into one.
///
/// Who finds the lock taken leaves the merging to the next, and it may be taken by nobody: a child
/// that another test starts has our open files, with their locks, until it becomes its program.
fn merge(packs: &Packs) -> usize {
    eventually("a merge", || {
        let merged = packs.maintain(Budget::COMMAND).unwrap().packs_merged;
        (merged > 0).then_some(merged)
    })
}

fn whole_packs(packs: &Packs) -> usize {
    let files = fs::read_dir(&packs.directory).unwrap().map(|entry| entry.unwrap().path());
    files.filter(|path| path.extension().is_some_and(|end| end == "idx")).count()
}

/// Packs of ours that are not about to go.
fn in_use(packs: &Packs) -> usize {
    let merges = packs.recorded_merges().unwrap();
    let redundant = redundant(&merges);
    packs.ours().unwrap().iter().filter(|name| !redundant.contains(name)).count()
}

fn contents(directory: &Path) -> BTreeMap<PathBuf, (Vec<u8>, SystemTime)> {
    let paths = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let read =
        |path: &PathBuf| (fs::read(path).unwrap(), fs::metadata(path).unwrap().modified().unwrap());
    paths.map(|path| (path.clone(), read(&path))).collect()
}

/// Every object is there, whichever pack it is in by now.
fn assert_all_there(repo: &Repo, objects: &[Object]) {
    let mut check = repo.command();
    check.args(["cat-file", "--batch-check"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = check.spawn().unwrap();
    let ids: Vec<String> = objects.iter().map(|object| object.id(repo.hash).to_string()).collect();
    let ids = ids.join("\n") + "\n";
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(ids.as_bytes()).unwrap());
    let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    writer.join().unwrap();
    assert_eq!(output.lines().count(), objects.len());
    assert!(!output.contains("missing"), "{output}");
}

#[test]
fn many_installations_leave_few_packs_and_every_object() {
    for (hash, entries) in HASHES.into_iter().zip([300, 60]) {
        let repo = Repo::new(hash);
        let user = repo.commit(0).to_string();
        repo.git(&["update-ref", "refs/heads/main", &user]);
        repo.git(&["repack", "-a", "-d", "-b", "--quiet"]);
        let packs = packs(&repo);
        let users_packs = contents(&packs.directory);
        let (mut all, mut tip, mut merged) = (Vec::new(), None, 0);
        for number in 0..entries {
            let objects = entry(hash, &number.to_string(), tip);
            install(&packs, &objects).release().unwrap();
            tip = Some(objects[2].id(hash));
            all.extend(objects);
            let report = packs.maintain(Budget::COMMAND).unwrap();
            let is_due = report.packs_merged == 0 && in_use(&packs) > PACKS_MAX;
            merged += if is_due { merge(&packs) } else { report.packs_merged };
            assert!(in_use(&packs) <= PACKS_MAX);
            let most = PACKS_BESIDE_MAX + PACKS_MAX + 1;
            assert!(whole_packs(&packs) <= most, "what is merged goes when packs become many");
        }
        assert!(merged + PACKS_MAX >= entries, "each was merged, but for the newest");
        assert_eq!(fs::read_dir(packs.staging()).unwrap().count(), 0);
        repo.git(&["update-ref", &format!("{NAMESPACE}runs"), &tip.unwrap().to_string()]);
        assert_all_there(&repo, &all);
        repo.git(&["fsck", "--strict", "--full"]);
        let now = contents(&packs.directory);
        assert!(users_packs.iter().all(|(path, content)| now.get(path) == Some(content)));
    }
}

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
    // Not called like ours, so not ours, whatever the file says.
    let users = packs.directory.join(format!("pack-{}.keep", "1".repeat(40)));
    fs::write(&users, &cases[0].1).unwrap();
    assert_eq!(packs.maintain(Budget::COMMAND).unwrap().keeps_removed, 0);
    assert!(users.exists());
}

fn draft(packs: &Packs, new: ObjectId) -> Draft {
    Signatures::new(&packs.common, testing::FILES).draft(new).unwrap()
}

/// Where a ref's next value stands for the protection.
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
        // As on a file system that has no two names for one file, and says that it has.
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
    // One that cannot be understood may name anything.
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

/// Lets that many minutes pass for the merges of a repository.
fn pass_minutes(packs: &Packs, minutes: u64) {
    for entry in fs::read_dir(packs.left_alone()).unwrap() {
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

/// 8/NO-HARM: a git that has listed them finds them for some minutes.
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
    // That gc has ended. Who finds the lock taken leaves it to the next.
    fs::write(repo.path().join("gc.pid"), format!("{} {host}", i32::MAX)).unwrap();
    eventually("the end of merged packs", || {
        maintain();
        (!are_there(&packs, &names)).then_some(())
    });
    assert_eq!(fs::read_dir(packs.left_alone()).unwrap().count(), 0);
    assert_eq!(fs::read_dir(packs.staging()).unwrap().count(), 0);
    repo.git(&["fsck", "--strict"]);
}

/// 8/NO-HARM: nothing is merged while `git gc` runs, and as soon as it has ended.
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

/// 8/HOOKS: what a hook has no time for is left to a command.
#[test]
fn a_hook_merges_small_packs_only() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    for number in 0..=PACKS_MAX as u64 {
        // What does not shrink: each number is made of the one before.
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

#[test]
fn only_packs_that_we_wrote_are_called_like_ours() {
    for hash in HASHES {
        let repo = Repo::new(hash);
        let packs = packs(&repo);
        let user = repo.commit(0).to_string();
        repo.git(&["update-ref", "refs/heads/main", &user]);
        repo.git(&["repack", "-a", "-d", "--quiet"]);
        assert!(packs.ours().unwrap().is_empty(), "git's own are not ours");
        let (name, _) = installed(&packs, "text");
        assert_eq!(packs.ours().unwrap(), BTreeSet::from([name.clone()]));
        assert!(name.to_string().parse::<PackName>().unwrap().is_ours());
        let other = name.to_string().replace(['0', '1', '2', '3', '4', '5', '6', '7'], "8");
        assert!(!other.parse::<PackName>().unwrap().is_ours());
        assert!(!PackName(PREFIX.to_owned()).is_ours());
    }
}

/// An index that is set aside comes back if git wants its pack: nobody else may remove that pack
/// meanwhile.
#[test]
fn a_pack_whose_index_is_set_aside_is_left_to_whoever_did_so() {
    let repo = Repo::new(HashKind::Sha1);
    let packs = packs(&repo);
    let (name, _) = installed(&packs, "about to go");
    fs::create_dir_all(packs.left_alone()).unwrap();
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
    // A child that another test starts has our locks until it becomes its program.
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
        eventually("the index", || packs.mend().unwrap().then_some(()));
        assert_eq!(fs::read(&index).unwrap(), before);
        assert!(!packs.mend().unwrap(), "there is nothing left to mend");
        fs::remove_file(&index).unwrap();
        let is_back = || packs.maintain(Budget::COMMAND).map(|_| index.exists()).unwrap();
        eventually("the index", || is_back().then_some(()));
    }
}

/// 8/NO-HARM: whose clock is ahead removes nothing that others are about to move into place.
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

const ENTRIES: usize = 60;

/// What an entry costs its neighbours: processes that write and merge while git collects.
#[test]
fn writers_that_merge_lose_nothing_beside_gc() {
    if let Some(home) = testing::worker_home() {
        let packs = Packs::new(&home, &home.join("objects"), HashKind::Sha1, testing::FILES);
        let refs = Refs::new(&home, HashKind::Sha1, testing::FILES);
        let me = std::process::id();
        let name: RefName = format!("{NAMESPACE}{me}").parse().unwrap();
        let mut tip = None;
        for number in 0..ENTRIES {
            let objects = entry(HashKind::Sha1, &format!("{me} {number}"), tip);
            let new = objects[2].id(HashKind::Sha1);
            let next = draft(&packs, new);
            let pack = Pack::of_new(&new_objects(packs.hash, &objects));
            let guard = packs.install(&pack, Some(&next)).unwrap();
            while refs.swap(&name, tip, &next, &NOTE).unwrap() == Swap::Locked {}
            guard.release().unwrap();
            packs.maintain(Budget::COMMAND).unwrap();
            tip = Some(new);
        }
        return;
    }
    let repo = Repo::new(HashKind::Sha1);
    let test = "git::packs::tests::writers_that_merge_lose_nothing_beside_gc";
    let mut workers: Vec<Worker> = (0..3).map(|_| Worker::start(test, repo.path())).collect();
    while workers.iter_mut().any(Worker::is_running) {
        repo.try_git(&["gc", "--quiet", "--prune=now"]);
    }
    workers.into_iter().for_each(Worker::finish);
    assert_eq!(repo.git(&["rev-list", "--count", "--all"]), (3 * ENTRIES).to_string());
    repo.git(&["fsck", "--strict", "--full"]);
    let packs = packs(&repo);
    eventually("few packs", || {
        packs.maintain(Budget::COMMAND).unwrap();
        (in_use(&packs) <= PACKS_MAX).then_some(())
    });
}
