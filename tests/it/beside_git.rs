//! Living beside git: its housekeeping removes nothing of ours, and ours nothing of the user's.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use git_coord::core::pattern::Case;
use git_coord::store::git::packs::PACKS_MAX;

use crate::model::{on_git, transact};
use crate::scenario::{Asked, MemoryLedger, reserving};
use crate::support::contract::{RESERVATIONS, RESERVATIONS_REF, event, exit, key};
use crate::support::gits::skip;
use crate::support::kind::{Hash, Kind, Place, RefFormat};
use crate::support::untouched::Untouched;
use crate::support::{Call, Repo, race_unproven, rounds, texts};

const WRITERS: usize = 8;

/// `git gc` lists packs while others come, and removes each index whose pack it has not seen. The
/// entry in such a pack is still there for everybody who looks, and for git after the first look.
#[test]
fn an_index_that_git_removes_takes_no_entry_along() {
    for look in [&["list"][..], &["reserve", "d"], &["ledger", "verify"]] {
        let repo = Repo::new();
        for file in ["a", "b", "c"] {
            repo.reserve("bob", file);
        }
        let tip = repo.tip();
        for entry in fs::read_dir(repo.git_dir().join("objects/pack")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "idx") {
                fs::remove_file(path).unwrap();
            }
        }
        assert_ne!(repo.git_call(["cat-file", "-e", &tip]).run_unproven().code, 0);
        repo.coord("bob", look).done();
        repo.git(["fsck", "--strict"]);
        let listed = repo.coord("ann", ["list"]).done().stdout;
        assert!(["a", "b", "c"].iter().all(|file| listed.contains(&format!("  {file}  "))));
    }
}

/// The script of a writer: reserves one file after the other, and prints each answer.
const WRITER: &str = r#"
i=0
while [ "$i" -lt "$1" ]; do
    git-coord reserve --json "$GIT_COORD_AGENT/$i" || exit
    i=$((i + 1))
done
"#;

/// Runs everything that deletes objects or refs, until told to stop, and prints what worked.
const HOUSEKEEPING: &str = r#"
while :; do
    stop=$(ls "$1" 2>&-)
    git gc --quiet --prune=now && echo gc
    git pack-refs --all --prune && echo pack-refs
    git prune --expire=now && echo prune
    git repack -a -d -q && echo repack
    echo all
    if [ "$stop" ]; then exit; fi
done
"#;

fn agent(number: usize) -> String {
    format!("agent-{number}")
}

fn script(repo: &Repo, agent: &str, script: &str, arg: &str) -> Call {
    repo.call(agent).program("sh").args(["-c", script, "sh", arg])
}

/// 6.1: every acknowledged entry exists, although git cleans up all the time.
#[track_caller]
fn housekeeping_takes_nothing(refs: RefFormat) {
    let kind = Kind { refs, hash: Hash::Sha1, place: Place::Main };
    let Some(repo) = Repo::of(kind) else { return };
    let stop = repo.world().join("tmp/stop");
    let clean = script(&repo, "", HOUSEKEEPING, stop.to_str().unwrap());
    // Once beforehand: packing the user's own refs is no doing of ours.
    fs::write(&stop, "").unwrap();
    clean.run_unproven().done();
    fs::remove_file(&stop).unwrap();
    let before = Untouched::of(repo.world());
    let cleaning = clean.command().spawn().unwrap();
    let each = (rounds() / 4).clamp(25, 100);
    let writer = |number: usize| {
        script(&repo, &agent(number), WRITER, &each.to_string()).config(key::WAIT, "5m")
    };
    let outputs = race_unproven(&(0..WRITERS).map(writer).collect::<Vec<_>>());
    fs::write(&stop, "").unwrap();
    let cleaned = clean.finish(cleaning).done();
    before.assert_still_so("writers beside housekeeping");
    let count_of = |word: &str| cleaned.stdout.lines().filter(|line| *line == word).count();
    let all = count_of("all");
    assert!(all > 1, "it ran beside the writers: {cleaned:#?}");
    assert_eq!([count_of("prune"), count_of("repack")], [all; 2], "{cleaned:#?}");
    // Tables have one lock for all refs, and git's housekeeping does not wait for it.
    let sure = if refs == RefFormat::Files { all } else { 1 };
    assert!(count_of("gc").min(count_of("pack-refs")) >= sure, "{cleaned:#?}");
    let granted: Vec<String> = outputs
        .into_iter()
        .flat_map(|output| output.done().json_lines())
        .flat_map(|answer| texts(&answer["granted"], "id"))
        .collect();
    assert_eq!(granted.len(), WRITERS * each);
    let written: BTreeSet<String> =
        repo.events(event::GRANTED).iter().map(|event| text(&event["subject"])).collect();
    assert!(granted.iter().all(|id| written.contains(id)), "each answer is an entry");
    assert_eq!(repo.entry_count(), granted.len());
    assert_eq!(repo.holds().len(), granted.len());
    repo.coord("ops", ["ledger", "verify"]).done();
    assert_eq!(repo.git(["fsck", "--strict", "--full", "--no-dangling"]), "");
}

fn text(value: &serde_json::Value) -> String {
    value.as_str().expect("it is text").to_owned()
}

#[test]
fn housekeeping_takes_nothing_where_refs_are_files() {
    housekeeping_takes_nothing(RefFormat::Files);
}

#[test]
fn housekeeping_takes_nothing_where_refs_are_tables() {
    housekeeping_takes_nothing(RefFormat::Reftable);
}

/// Leaves an unreachable object that is years old, and stops git when it meets the object, until it
/// is told to continue.
const STOPPED: &str = r#"
id=$(echo "$*" | git hash-object -w --stdin) || exit
touch -t 202001010000 "$(git rev-parse --git-dir)/objects/${id%"${id#??}"}/${id#??}" || exit
wait="touch '$1.begun'; while ! [ -e '$1.go' ]; do sleep 0.05; done #"
shift
exec git -c gc.recentObjectsHook="$wait" "$@"
"#;

/// 8/NO-HARM: git's upkeep lists packs at its beginning, and must find each of them at its end,
/// whatever was written and merged meanwhile.
#[test]
fn gits_upkeep_finds_every_pack_that_it_has_listed() {
    let repo = Repo::new();
    let many = if cfg!(target_os = "linux") { 3 * PACKS_MAX } else { PACKS_MAX + 4 };
    let upkeeps: [(&[&str], usize); 3] = [
        (&["gc", "--quiet"], 3 * PACKS_MAX),
        (&["maintenance", "run", "--quiet", "--task=gc"], 3 * PACKS_MAX),
        (&["repack", "-d", "-q", "--cruft", "--cruft-expiration=2.weeks.ago"], many),
    ];
    for (number, (words, entries)) in upkeeps.into_iter().enumerate() {
        let agent = |part: usize| agent(2 * number + part);
        script(&repo, &agent(0), WRITER, "5").run_unproven().done();
        let mark = repo.world().join("tmp").join(words[0]);
        let upkeep = script(&repo, "", STOPPED, mark.to_str().unwrap()).args(words);
        let mut running = upkeep.command().spawn().unwrap();
        let begun = mark.with_extension("begun");
        while !begun.exists() {
            if running.try_wait().unwrap().is_some() {
                skip("this git has no gc.recentObjectsHook to stop it");
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        let writer = script(&repo, &agent(1), WRITER, &entries.to_string());
        writer.config(key::FSYNC, "false").run_unproven().done();
        fs::write(mark.with_extension("go"), "").unwrap();
        upkeep.finish(running).done();
        repo.git(["fsck", "--strict", "--full", "--no-dangling"]);
    }
}

/// Runs git's maintenance of packs until told to stop, one command after the other because git does
/// not wait for itself. Stops at the first failure.
const UPKEEP: &str = r#"
set -e
while :; do
    stop=$(ls "$1" 2>&-) || :
    git gc --quiet
    git maintenance run --quiet
    git repack --cruft -d -q
    git multi-pack-index write --no-progress
    git multi-pack-index verify --no-progress
    if [ "$stop" ]; then exit; fi
done
"#;

/// 8/NO-HARM: git never fails because of us, however much is written and merged beside it.
#[test]
fn gits_upkeep_never_fails_beside_writers() {
    let repo = Repo::new();
    let stop = repo.world().join("tmp/stop");
    let upkeep = script(&repo, "", UPKEEP, stop.to_str().unwrap());
    let running = upkeep.command().spawn().unwrap();
    let each = (rounds() / 4).clamp(25, 100);
    let writer = |number: usize| {
        let call = script(&repo, &agent(number), WRITER, &each.to_string());
        call.config(key::WAIT, "5m").config(key::FSYNC, "false")
    };
    for output in race_unproven(&(0..WRITERS).map(writer).collect::<Vec<_>>()) {
        output.done();
    }
    fs::write(&stop, "").unwrap();
    upkeep.finish(running).done();
    assert_eq!(repo.entry_count(), WRITERS * each);
    repo.coord("ops", ["ledger", "verify"]).done();
    repo.git(["multi-pack-index", "verify"]);
    assert_eq!(repo.git(["fsck", "--strict", "--full", "--no-dangling"]), "");
}

/// Reads every file in the directory of packs.
fn packs(repo: &Repo) -> BTreeMap<PathBuf, Vec<u8>> {
    let entries = fs::read_dir(repo.git_dir().join("objects/pack")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.map(|path| (path.clone(), fs::read(&path).unwrap())).collect()
}

/// Counts the loose objects.
fn loose_objects(repo: &Repo) -> usize {
    let counts = repo.git(["count-objects"]);
    counts.split(' ').next().unwrap().parse().unwrap()
}

fn write_entries(repo: &Repo, count: usize) {
    let before = Untouched::of(repo.world());
    let writer = script(repo, "alice", WRITER, &count.to_string());
    let written = writer.config(key::FSYNC, "false").run_unproven().done();
    assert_eq!(written.json_lines().len(), count);
    before.assert_still_so("entries one by one");
}

/// Makes a commit of the user's, with git's automatic housekeeping in the foreground.
fn commit(repo: &Repo, config: &[(&str, &str)]) -> String {
    let call = repo.git_call(["commit", "--allow-empty", "--message", "of the user"]);
    // Since 2.54 git goes by the sizes of packs instead, if it is not told to go by their number.
    let by_number = [("gc.autoDetach", "false"), ("maintenance.strategy", "gc")];
    let settings = by_number.iter().chain(config);
    let call = settings.fold(call, |call, (key, value)| call.config(key, value));
    call.run_unproven().done().stderr
}

#[track_caller]
fn commit_starts_no_packing(repo: &Repo) {
    assert_eq!(commit(repo, &[("gc.autoPackLimit", "50")]), "");
    for trace in ["gc.log", "gc.pid"] {
        assert!(!repo.git_dir().join(trace).exists(), "{trace}");
    }
}

/// Makes commits that are each in a pack of their own, and an index with a bitmap over all.
const MAKE_PACKS: &str = r#"
i=0
while [ "$i" -lt "$1" ]; do
    git -c gc.auto=0 commit --quiet --allow-empty --message "number $i" || exit
    git repack -d -q -n || exit
    i=$((i + 1))
done
git multi-pack-index write --bitmap
"#;

/// The user's packs, multi-pack-index and bitmap stay byte by byte, and ours are so few beside
/// them that the user's commit never packs because of us.
#[test]
fn packs_of_the_user_are_left_alone() {
    let repo = Repo::new();
    script(&repo, "", MAKE_PACKS, "30").run_unproven().done();
    let theirs = packs(&repo);
    let names = || theirs.keys().map(|path| path.display().to_string());
    let count_of = |end: &str| names().filter(|name| name.ends_with(end)).count();
    assert_eq!(count_of(".pack"), 30);
    assert_eq!([count_of("multi-pack-index"), count_of(".bitmap")], [1, 1]);
    write_entries(&repo, 300);
    let now = packs(&repo);
    for (path, content) in &theirs {
        assert!(now.get(path) == Some(content), "'{}' was changed", path.display());
    }
    commit_starts_no_packing(&repo);
    repo.git(["fsck", "--strict", "--full", "--no-dangling"]);
    repo.git(["multi-pack-index", "verify"]);
    let packed = commit(&repo, &[("gc.autoPackLimit", "20")]);
    assert!(packed.contains("Auto packing"), "this is what packing would have said: {packed}");
}

/// What git does by itself after a commit since 2.54: it merges small packs, ours among them, and
/// names all that are left in one index, which must stay true.
#[test]
fn packs_that_git_merges_and_names_are_its_own_from_then_on() {
    let repo = Repo::new();
    let each = PACKS_MAX + 4;
    for round in 1..=4 {
        let agent = agent(round);
        let writer = script(&repo, &agent, WRITER, &each.to_string());
        writer.config(key::FSYNC, "false").run_unproven().done();
        repo.git(["multi-pack-index", "verify"]);
        repo.git(["repack", "-d", "-l", "-q", "--geometric=2", "--write-midx"]);
        assert!(repo.git_dir().join("objects/pack/multi-pack-index").exists());
        assert_eq!(repo.holds().len(), round * each);
        assert_eq!(repo.git(["fsck", "--strict", "--full", "--no-dangling"]), "");
    }
    repo.coord("ops", ["ledger", "verify"]).done();
}

/// Objects of the user's, a little under the number at which git packs.
const LOOSE_OBJECTS: usize = 6_000;

#[test]
fn no_loose_object_is_added_to_those_of_the_user() {
    let repo = Repo::new();
    let directory = repo.world().join("tmp/loose");
    fs::create_dir(&directory).unwrap();
    let names: Vec<String> = (0..LOOSE_OBJECTS)
        .map(|number| {
            let path = directory.join(number.to_string());
            fs::write(&path, number.to_string()).unwrap();
            path.display().to_string()
        })
        .collect();
    let list = repo.world().join("tmp/list");
    fs::write(&list, names.join("\n")).unwrap();
    let store = "git hash-object -w --stdin-paths <\"$1\"";
    script(&repo, "", store, list.to_str().unwrap()).run_unproven().done();
    let before = loose_objects(&repo);
    assert!(before >= LOOSE_OBJECTS);
    write_entries(&repo, 100);
    assert_eq!(loose_objects(&repo), before);
    commit_starts_no_packing(&repo);
    let packed = commit(&repo, &[("gc.auto", "3000")]);
    assert!(packed.contains("Auto packing"), "this is what packing would have said: {packed}");
}

/// However many entries there are, the number of our files in the store is the same.
#[test]
fn packs_stay_as_few_at_two_thousand_entries_as_at_five_hundred() {
    on_git(Case::Sensitive, |ledger, home| {
        let mut memory = MemoryLedger::new(Case::Sensitive);
        let mut clock = memory.at;
        // The number goes up with each entry and down with each merge: its height is what counts.
        let mut most_within = |count: usize| {
            let mut most = 0;
            for _ in 0..count {
                clock = clock.plus_seconds(1);
                let renewal = Asked { clock, ..reserving(&mut memory, "src") };
                assert_eq!(transact(ledger, &renewal), "done");
                most = most.max(fs::read_dir(home.join("objects/pack")).unwrap().count());
            }
            most
        };
        let highest: Vec<usize> = [470, 30, 1_470, 30].map(&mut most_within).into();
        // A merge that comes a moment later makes it one pack more, which is two files.
        let [_, at_500, _, at_2000] = highest[..] else { unreachable!("four were measured") };
        assert!(at_2000 <= at_500 + 2, "files up to 500 and 2,000 entries: {at_500}, {at_2000}");
        let directories = fs::read_dir(home.join("objects")).unwrap();
        let names: BTreeSet<_> = directories.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["info", "pack"].map(Into::into).into(), "no loose object");
    });
}

/// Refs of the user's, all packed, with neighbours of ours among them.
const PACKED_REFS: usize = 100_000;

#[test]
fn a_hundred_thousand_packed_refs_hide_nothing() {
    let repo = Repo::new();
    let head = repo.git(["rev-parse", "HEAD"]);
    let mut packed = "# pack-refs with: peeled fully-peeled sorted \n".to_owned();
    for number in 0..PACKED_REFS {
        let namespace = match number * 3 / PACKED_REFS {
            0 => "changes",
            1 => "coord-neighbour",
            _ => "tags",
        };
        packed.push_str(&format!("{head} refs/{namespace}/{number:06}\n"));
    }
    fs::write(repo.git_dir().join("packed-refs"), packed).unwrap();
    repo.reserve("alice", "src/**");
    assert_eq!(repo.holds().len(), 1);
    let others = || repo.git(["for-each-ref", "--count=100001", "--format=%(objectname)"]);
    assert_eq!(others().lines().count(), PACKED_REFS + 1);
    // Ours among them, and found there: it is read, refused over, and moved on.
    repo.git(["pack-refs", "--all", "--prune"]);
    assert!(!repo.git_dir().join(RESERVATIONS_REF).exists());
    assert_eq!(repo.holds().len(), 1);
    repo.coord("bob", ["reserve", "src/main.rs"]).exits(exit::NO);
    repo.reserve("bob", "docs/**");
    assert_eq!((repo.holds().len(), repo.entry_count()), (2, 2));
    assert_eq!(
        repo.tip(),
        repo.json("bob", ["ledger", "log", RESERVATIONS])["entries"][0]["entry"]
    );
    repo.coord("ops", ["ledger", "verify"]).done();
}
