//! A multi-pack-index that git writes while redundant packs are removed names none that is gone.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use super::frozen::Frozen;
use crate::support::Repo;
use crate::support::contract::{LOCAL_DIR, RESERVATIONS};

/// Makes so many entries that packs are merged, and lets the time pass for which the merged ones
/// stay. Returns their names.
fn with_redundant_packs() -> (Repo, Vec<String>) {
    let repo = Repo::new();
    let records = repo.git_dir().join(LOCAL_DIR).join("packs");
    let record = || {
        let mut files =
            fs::read_dir(&records).into_iter().flatten().map(|file| file.unwrap().path());
        files.find(|path| path.extension().is_some_and(|ending| ending == "merged"))
    };
    let mut number = 0;
    let record = loop {
        if let Some(record) = record() {
            break record;
        }
        assert!(number < 30, "packs are merged before there are so many");
        repo.reserve("zoe", &format!("src/{number}"));
        number += 1;
    };
    let names: Vec<String> =
        fs::read_to_string(&record).unwrap().lines().map(str::to_owned).collect();
    let long_ago = SystemTime::now() - Duration::from_secs(3_600);
    File::options().append(true).open(record).unwrap().set_modified(long_ago).unwrap();
    (repo, names)
}

/// 8/NO-HARM: wherever the removal stands when git writes it, a multi-pack-index names no pack that
/// is gone.
#[test]
fn an_index_of_gits_that_is_written_meanwhile_names_no_pack_that_is_gone() {
    for (place, are_named) in [("first", true), ("last", true), ("none", false)] {
        let (repo, names) = with_redundant_packs();
        let step = match place {
            // The packs were checked, and none or all but one have been set aside.
            "first" => format!("Rename@coord/packs/{}.idx:stop", names[0]),
            "last" => format!("Rename@coord/packs/{}.idx:stop", names[names.len() - 1]),
            // All are set aside, and were checked again.
            _ => format!("Remove@objects/pack/{}.pack:stop", names[0]),
        };
        let alice = Frozen::at(repo.call("alice").args(["reserve", "docs"]), &[&step]);
        repo.git(["multi-pack-index", "write", "--no-progress"]);
        alice.goes_on().done();
        repo.git(["multi-pack-index", "verify", "--no-progress"]);
        repo.git(["fsck", "--strict"]);
        let pack = |name: &String| repo.git_dir().join(format!("objects/pack/{name}.pack"));
        let left = names.iter().filter(|name| pack(name).exists()).count();
        assert_eq!(left, if are_named { names.len() } else { 0 }, "{place}");
        repo.coord("ops", ["ledger", "verify", RESERVATIONS]).done();
        assert_eq!(repo.list(&["--holder", "alice"]).len(), 1);
    }
}
