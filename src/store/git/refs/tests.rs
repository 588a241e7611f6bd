//! Refs against the real git: each reads what the other writes, and no move is lost if both write
//! at once.

use std::fs;
use std::time::{Duration, Instant};

use super::*;
use crate::store::os::process::ProcessIdentity;
use crate::store::testing::{self, HASHES, Repo, Worker};

const NOTE: LogNote<'static> =
    LogNote { committer: "A <a@example.com> 1700000000 +0000", message: "swap" };
const NAME: &str = "refs/coord/runs";

fn refs(repo: &Repo) -> Refs {
    Refs::new(repo.path(), repo.hash, testing::FILES)
}

fn name() -> RefName {
    NAME.parse().unwrap()
}

#[test]
fn git_and_we_read_each_other() {
    for hash in HASHES {
        let repo = Repo::new(hash);
        let (refs, name) = (refs(&repo), name());
        let [first, second, third] = [1, 2, 3].map(|number| repo.commit(number));
        assert_eq!(refs.read(&name).unwrap(), None);

        assert_eq!(refs.swap(&name, None, first, &NOTE).unwrap(), Swap::Done);
        assert_eq!(repo.git(&["rev-parse", NAME]), first.to_string());
        assert_eq!(refs.swap(&name, None, second, &NOTE).unwrap(), Swap::Moved);

        repo.git(&["pack-refs", "--all", "--prune"]);
        assert!(!repo.path().join(NAME).exists());
        assert_eq!(refs.read(&name).unwrap(), Some(first));
        assert_eq!(refs.swap(&name, None, second, &NOTE).unwrap(), Swap::Moved);
        assert_eq!(refs.swap(&name, Some(second), third, &NOTE).unwrap(), Swap::Moved);
        assert_eq!(refs.swap(&name, Some(first), second, &NOTE).unwrap(), Swap::Done);
        assert_eq!(repo.git(&["rev-parse", NAME]), second.to_string());

        repo.git(&["update-ref", NAME, &third.to_string(), &second.to_string()]);
        assert_eq!(refs.read(&name).unwrap(), Some(third));
        repo.git(&["update-ref", "-d", NAME]);
        assert_eq!(refs.read(&name).unwrap(), None);
        assert_eq!(refs.swap(&name, Some(third), first, &NOTE).unwrap(), Swap::Moved);
        assert!(!repo.path().join(NAME).with_extension("lock").exists());
    }
}

/// Names are listed as git lists them, loose and packed ones, and those of locks are not.
#[test]
fn refs_are_listed_as_git_lists_them() {
    let repo = Repo::new(HashKind::Sha1);
    let refs = refs(&repo);
    let first = repo.commit(1).to_string();
    let of_git = |directory: &str| -> Vec<String> {
        let listed = repo.git(&["for-each-ref", "--format=%(refname)", directory]);
        listed.lines().map(str::to_owned).collect()
    };
    let update = |name: &str| repo.git(&["update-ref", name, &first]);
    assert_eq!(refs.below("refs/coord/rescue/").unwrap(), Vec::<String>::new());
    let packed = ["refs/coord/a", "refs/coord/rescue/-/1", "refs/coord/rescue/b/2"];
    for name in packed {
        update(name);
    }
    repo.git(&["-c", "user.name=a", "-c", "user.email=a", "tag", "-am", "peeled", "t", &first]);
    repo.git(&["pack-refs", "--all", "--prune"]);
    for name in ["refs/coord/rescue/-/0", "refs/coord/rescue-not", "refs/coord/runs"] {
        update(name);
    }
    update("refs/coord/rescue/b/2");
    fs::write(repo.path().join("refs/coord/rescue/-/3.lock"), "").unwrap();
    for directory in ["refs/", "refs/coord/", "refs/coord/rescue/", "refs/coord/rescue/-/"] {
        let listed = of_git(directory);
        assert_eq!(refs.below(directory).unwrap(), listed);
        assert!(listed.len() > 1, "{directory}: {listed:?}");
    }
    assert_eq!(refs.below("refs/coord/rescue/c/").unwrap(), Vec::<String>::new());
}

#[test]
fn a_lock_of_git_is_respected_and_left() {
    let repo = Repo::new(HashKind::Sha1);
    let (refs, commit) = (refs(&repo), repo.commit(1));
    fs::create_dir_all(repo.path().join("refs/coord")).unwrap();
    fs::write(refs.lock_path(&name()), "").unwrap();
    assert_eq!(refs.swap(&name(), None, commit, &NOTE).unwrap(), Swap::Locked);
    assert!(refs.lock_path(&name()).exists());
}

#[test]
fn what_is_no_plain_ref_is_an_error_that_names_it() {
    let repo = Repo::new(HashKind::Sha1);
    let (refs, commit) = (refs(&repo), repo.commit(1));
    repo.git(&["symbolic-ref", NAME, "refs/heads/main"]);
    let path = repo.path().join(NAME);
    for content in ["ref: refs/heads/main\n", "", "garbage\n", &"a".repeat(64)] {
        fs::write(&path, content).unwrap();
        for error in
            [refs.read(&name()).unwrap_err(), refs.swap(&name(), None, commit, &NOTE).unwrap_err()]
        {
            assert!(error.to_string().contains(NAME), "{error}");
        }
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
        assert!(!refs.lock_path(&name()).exists());
    }
}

#[test]
fn refs_that_exclude_each_other_are_refused_by_name() {
    for packed in [false, true] {
        let repo = Repo::new(HashKind::Sha1);
        let (refs, commit) = (refs(&repo), repo.commit(1));
        repo.git(&["update-ref", "refs/coord/a/b", &commit.to_string()]);
        if packed {
            repo.git(&["pack-refs", "--all", "--prune"]);
        }
        for (name, other) in
            [("refs/coord/a", "refs/coord/a/"), ("refs/coord/a/b/c", "refs/coord/a/b")]
        {
            let error = refs.swap(&name.parse().unwrap(), None, commit, &NOTE).unwrap_err();
            assert!(matches!(error, RefError::InTheWay { .. }), "{error}");
            assert!(error.to_string().contains(other), "{error}");
            assert!(!repo.path().join(format!("{name}.lock")).exists());
        }
    }
}

#[test]
fn empty_directories_are_not_in_the_way() {
    let repo = Repo::new(HashKind::Sha1);
    fs::create_dir_all(repo.path().join(NAME).join("x/y")).unwrap();
    let (refs, commit) = (refs(&repo), repo.commit(1));
    assert_eq!(refs.read(&name()).unwrap(), None);
    assert_eq!(refs.swap(&name(), None, commit, &NOTE).unwrap(), Swap::Done);
    assert_eq!(repo.git(&["rev-parse", NAME]), commit.to_string());
}

#[test]
fn a_reflog_is_continued_and_never_begun() {
    let repo = Repo::new(HashKind::Sha1);
    let refs = refs(&repo);
    let [first, second] = [1, 2].map(|number| repo.commit(number));
    let log = repo.path().join("logs").join(NAME);
    assert_eq!(refs.swap(&name(), None, first, &NOTE).unwrap(), Swap::Done);
    assert!(!log.exists());
    fs::create_dir_all(log.parent().unwrap()).unwrap();
    fs::write(&log, "").unwrap();
    let note = LogNote { message: "two\nlines", ..NOTE };
    assert_eq!(refs.swap(&name(), Some(first), second, &note).unwrap(), Swap::Done);
    let expected = format!("{first} {second} {}\ttwo\n", NOTE.committer);
    assert_eq!(fs::read_to_string(&log).unwrap(), expected);
    assert_eq!(repo.git(&["reflog", "show", "--format=%H %gs", NAME]), format!("{second} two"));
}

/// 8/NO-HARM: git, whose lock is unsigned, would continue as if it had the lock, and so would a
/// live process.
#[test]
fn a_lock_is_moved_aside_only_if_its_signer_has_ended() {
    let repo = Repo::new(HashKind::Sha1);
    let refs = refs(&repo);
    let lock = refs.lock_path(&name());
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    fs::write(&lock, "").unwrap();
    assert_eq!(refs.clear_lock(&name()).unwrap(), None);
    assert_eq!(refs.seen_lock(&name()).unwrap().unwrap().holder, Holder::Unknown);
    fs::remove_file(&lock).unwrap();
    let here = ProcessIdentity::current().to_file_name().unwrap();
    let word = |key: &str| here.split(',').find(|word| word.starts_with(key)).unwrap();
    let dead = here.replace(word("start="), "start=1");
    let elsewhere = dead.replace(word("host="), "host=other");
    let lives = Holder::Lives { pid: std::process::id(), is_stopped: false };
    let other = Holder::Elsewhere { host: "other".to_owned() };
    for (signer, holder) in [(here.clone(), lives), (elsewhere, other), (dead, Holder::Ended)] {
        let signature = refs.signatures().sign(repo.commit(1)).unwrap().unwrap();
        let signed = signature.file().path.with_file_name(format!("lock,{signer},0"));
        assert!(signature.link(&lock).unwrap());
        fs::rename(signature.file().path, &signed).unwrap();
        assert_eq!(refs.seen_lock(&name()).unwrap().unwrap().holder, holder);
        let is_moved = refs.clear_lock(&name()).unwrap().is_some();
        assert_eq!(is_moved, holder == Holder::Ended, "{signer}");
        assert_eq!(lock.exists(), !is_moved, "{signer}");
        fs::remove_file(&signed).unwrap();
        fs::remove_file(&lock).ok();
    }
}

/// On file systems where each name of a file has its own inode number, the content identifies the
/// signer.
#[test]
fn a_signer_is_known_by_content_too() {
    let repo = Repo::new(HashKind::Sha1);
    let refs = refs(&repo);
    let lock = refs.lock_path(&name());
    fs::create_dir_all(lock.parent().unwrap()).unwrap();
    let signature = refs.signatures().sign(repo.commit(1)).unwrap().unwrap();
    fs::copy(signature.file().path, &lock).unwrap();
    let lives = Holder::Lives { pid: std::process::id(), is_stopped: false };
    assert_eq!(refs.seen_lock(&name()).unwrap().unwrap().holder, lives);
    fs::write(&lock, "").unwrap();
    assert_eq!(refs.seen_lock(&name()).unwrap().unwrap().holder, Holder::Unknown);
}

/// 1/C1: a process whose lock was taken away does not move the ref, and leaves the next process's
/// lock.
#[test]
fn who_has_lost_its_lock_moves_nothing() {
    let repo = Repo::new(HashKind::Sha1);
    let refs = refs(&repo);
    let [first, second] = [1, 2].map(|number| repo.commit(number));
    let path = refs.lock_path(&name());
    for other in [None, Some(""), Some("0123456789012345678901234567890123456789\n")] {
        let lock = refs.lock(&name(), Target::from(first)).unwrap().unwrap();
        fs::remove_file(&path).unwrap();
        if let Some(other) = other {
            fs::write(&path, other).unwrap();
        }
        assert_eq!(refs.commit(lock, &name()).unwrap(), Swap::Moved, "{other:?}");
        assert_eq!(refs.read(&name()).unwrap(), None, "{other:?}");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), other);
        fs::remove_file(&path).ok();
    }
    assert_eq!(refs.swap(&name(), None, second, &NOTE).unwrap(), Swap::Done);
}

/// 1/C1: another lock replaces the one that is moved aside. Ours is not put back, since the ref may
/// have moved meanwhile, and its holder notices; git's is put back.
#[test]
fn what_is_moved_by_mistake_moves_no_ref() {
    let repo = Repo::new(HashKind::Sha1);
    let refs = refs(&repo);
    let [first, second] = [1, 2].map(|number| repo.commit(number));
    let path = refs.lock_path(&name());
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, "left").unwrap();
    let seen = refs.seen_lock(&name()).unwrap().unwrap();
    fs::remove_file(&path).unwrap();

    let lock = refs.lock(&name(), Target::from(first)).unwrap().unwrap();
    assert_eq!(refs.lock_files().take_away(&seen).unwrap(), None, "it is looked at again");
    assert!(path.exists());
    assert_eq!(refs.lock_files().move_aside(&seen).unwrap(), None);
    assert_eq!(refs.swap(&name(), None, second, &NOTE).unwrap(), Swap::Done, "another one's");
    assert_eq!(refs.commit(lock, &name()).unwrap(), Swap::Moved);
    assert_eq!(refs.read(&name()).unwrap(), Some(second));

    fs::write(&path, "git's").unwrap();
    assert_eq!(refs.lock_files().move_aside(&seen).unwrap(), None);
    assert_eq!(fs::read_to_string(&path).unwrap(), "git's");
}

/// Of any number of processes that have seen a dead process's lock, one moves it.
#[test]
fn one_moves_a_lock_aside() {
    let repo = Repo::new(HashKind::Sha1);
    let locks = refs(&repo).lock_files();
    let path = repo.path().join("refs/left.lock");
    fs::write(&path, "left").unwrap();
    let seen = locks.inspect(&path).unwrap().unwrap();
    let first = fs::File::open(&path).unwrap();
    assert!(testing::FILES.try_lock(&first, &path).unwrap());
    assert_eq!(locks.take_away(&seen).unwrap(), None, "another is at it");
    assert!(path.exists());
    drop(first);
    let until = testing::at_last();
    // A child that another test starts has our locks until it executes its program.
    let mut tries = std::iter::from_fn(|| (Instant::now() < until).then(|| locks.take_away(&seen)));
    let moved = tries.find_map(Result::unwrap).unwrap();
    assert_eq!(fs::read_to_string(moved.now_at).unwrap(), "left");
    assert_eq!(locks.take_away(&seen).unwrap(), None);
}

#[test]
fn a_swap_leaves_no_signature() {
    let repo = Repo::new(HashKind::Sha1);
    let (refs, commit) = (refs(&repo), repo.commit(1));
    for expected in [Swap::Done, Swap::Moved] {
        assert_eq!(refs.swap(&name(), None, commit, &NOTE).unwrap(), expected);
    }
    fs::write(refs.lock_path(&name()), "").unwrap();
    assert_eq!(refs.swap(&name(), None, commit, &NOTE).unwrap(), Swap::Locked);
    assert_eq!(fs::read_dir(repo.path().join("coord/tmp")).unwrap().count(), 0);
}

/// Appends one commit to the ref, deciding again until the swap is done.
fn append(repo: &Path, refs: &Refs, text: &str) {
    loop {
        let tip = refs.read(&name()).unwrap();
        let tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let mut commit = testing::git_in(repo);
        commit.args(["commit-tree", tree, "-m", text]);
        if let Some(tip) = tip {
            commit.args(["-p", &tip.to_string()]);
        }
        let output = commit.output().unwrap().stdout;
        let new: ObjectId = String::from_utf8(output).unwrap().trim().parse().unwrap();
        if refs.swap(&name(), tip, new, &NOTE).unwrap() == Swap::Done {
            return;
        }
    }
}

const APPENDS: usize = 25;

#[test]
fn no_move_is_lost_among_processes_git_and_pack_refs() {
    if let Some(home) = testing::worker_home() {
        let refs = Refs::new(&home, HashKind::Sha1, testing::FILES);
        for number in 0..APPENDS {
            append(&home, &refs, &format!("{} {number}", std::process::id()));
        }
        return;
    }
    let repo = Repo::new(HashKind::Sha1);
    repo.git(&["hash-object", "-t", "tree", "-w", "/dev/null"]);
    let test = "git::refs::tests::no_move_is_lost_among_processes_git_and_pack_refs";
    let workers: Vec<Worker> = (0..3).map(|_| Worker::start(test, repo.path())).collect();
    let mut by_git = 0;
    while by_git < APPENDS {
        repo.try_git(&["pack-refs", "--all", "--prune"]);
        let Some(tip) = refs(&repo).read(&name()).unwrap() else {
            continue;
        };
        let tip = tip.to_string();
        let tree = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        let new = repo.git(&["commit-tree", tree, "-m", &format!("git {by_git}"), "-p", &tip]);
        by_git += usize::from(repo.try_git(&["update-ref", NAME, &new, &tip]));
    }
    workers.into_iter().for_each(Worker::finish);
    assert_eq!(repo.git(&["rev-list", "--count", NAME]), (4 * APPENDS).to_string());
    repo.git(&["fsck", "--strict"]);
}

#[test]
fn exactly_one_process_creates_the_ref() {
    const ROUNDS: usize = 40;
    let round = |number| -> RefName { format!("refs/coord/round/{number}/x").parse().unwrap() };
    if let Some(home) = testing::worker_home() {
        let refs = Refs::new(&home, HashKind::Sha1, testing::FILES);
        let me = std::process::id();
        let new = HashKind::Sha1.digest(&[&me.to_be_bytes()]);
        fs::write(home.join(format!("ready-{me}")), "").unwrap();
        testing::wait_for(&home.join("go"));
        let won = (0..ROUNDS).filter(|number| {
            loop {
                match refs.swap(&round(*number), None, new, &NOTE).unwrap() {
                    Swap::Done => break true,
                    Swap::Moved => break false,
                    Swap::Locked => {}
                }
            }
        });
        fs::write(home.join(format!("won-{me}")), won.count().to_string()).unwrap();
        return;
    }
    let repo = Repo::new(HashKind::Sha1);
    let test = "git::refs::tests::exactly_one_process_creates_the_ref";
    let workers: Vec<Worker> = (0..4).map(|_| Worker::start(test, repo.path())).collect();
    let files = |prefix: &str| {
        let all = fs::read_dir(repo.path()).unwrap().map(|entry| entry.unwrap().path());
        let fits = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with(prefix);
        all.filter(fits).collect::<Vec<_>>()
    };
    while files("ready-").len() < 4 {
        std::thread::sleep(Duration::from_millis(2));
    }
    fs::write(repo.path().join("go"), "").unwrap();
    workers.into_iter().for_each(Worker::finish);
    let won = files("won-").into_iter().map(|path| fs::read_to_string(path).unwrap());
    assert_eq!(won.map(|won| won.parse::<usize>().unwrap()).sum::<usize>(), ROUNDS);
}
