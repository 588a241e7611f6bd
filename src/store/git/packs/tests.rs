//! Our packs in real repositories, beside the user's packs and git's gc.

mod install;
mod maintenance;
mod merge;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::process::Stdio;
use std::time::SystemTime;

use super::redundant::{PACKS_BESIDE_MAX, redundant};
use super::*;
use crate::store::git::object::Object;
use crate::store::git::pack::Pack;
use crate::store::git::refs::{LogNote, RefName, Refs, Swap};
use crate::store::git::signature::{Draft, Signatures};
use crate::store::layout::NAMESPACE;
use crate::store::testing::{self, HASHES, Repo, Worker, entry, eventually, new_objects};

const NOTE: LogNote<'static> =
    LogNote { committer: "A <a@example.com> 1700000000 +0000", message: "swap" };

fn packs(repo: &Repo) -> Packs {
    Packs::new(repo.path(), &repo.path().join("objects"), repo.hash, testing::FILES)
}

fn install(packs: &Packs, objects: &[Object]) -> PackGuard {
    packs.install(&Pack::of_new(&new_objects(packs.hash, objects)), None).unwrap()
}

/// Installs an entry without a parent, and releases it as after a swap.
fn installed(packs: &Packs, text: &str) -> (PackName, Vec<Object>) {
    let objects = entry(packs.hash, text, None);
    let guard = install(packs, &objects);
    let name = guard.name().clone();
    guard.release().unwrap();
    (name, objects)
}

/// Merges packs that are too many, and returns how many were merged.
///
/// A process that does not get the lock leaves the merge to the next, and the lock may be taken
/// without a merge: a child that another test starts has our open files, with their locks, until it
/// executes its program.
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

/// Counts our packs that are not redundant.
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

/// Checks that every object exists, in whatever pack.
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

fn draft(packs: &Packs, new: ObjectId) -> Draft {
    Signatures::new(&packs.common, testing::FILES).draft(new).unwrap()
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

const ENTRIES: usize = 60;

/// Processes write and merge while git collects garbage.
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
