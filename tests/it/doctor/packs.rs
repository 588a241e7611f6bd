//! Packs that are truncated, overwritten, emptied or gone: damage like any other.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use super::{is_found_and_repaired, is_repaired, kept_file, ref_file, replace, with_entries};
use crate::support::Repo;
use crate::support::contract::{RESERVATIONS_REF, exit};
use crate::support::gits::gits;
use crate::support::hooks::put_script;

/// Returns the start of the offsets in the index of a pack with this many objects and SHA-1 ids.
fn offsets_start(objects: usize) -> usize {
    8 + 256 * 4 + objects * (20 + 4)
}

/// Reads the number of objects in an index.
fn object_count(index: &[u8]) -> usize {
    let count = index[8 + 255 * 4..8 + 256 * 4].try_into().unwrap();
    usize::try_from(u32::from_be_bytes(count)).unwrap()
}

fn packs(repo: &Repo) -> BTreeSet<PathBuf> {
    let listed = fs::read_dir(repo.git_dir().join("objects/pack")).unwrap();
    let files = listed.map(|entry| entry.unwrap().path());
    files.filter(|file| file.extension().is_some_and(|end| end == "pack")).collect()
}

/// Creates three entries, and returns the pack of the last.
fn with_newest_pack() -> (Repo, PathBuf) {
    let repo = Repo::new();
    repo.reserve("alice", "a");
    repo.reserve("alice", "b");
    let before = packs(&repo);
    repo.reserve("alice", "c");
    let newest = packs(&repo).difference(&before).next().cloned().expect("an entry is a pack");
    (repo, newest)
}

fn cut(file: &Path, length: impl FnOnce(usize) -> usize) {
    let content = fs::read(file).unwrap();
    replace(&file.to_owned(), &content[..length(content.len())]);
}

fn change(file: &Path, change: impl FnOnce(&mut [u8])) {
    let mut content = fs::read(file).unwrap();
    change(&mut content);
    replace(&file.to_owned(), &content);
}

fn index_of(pack: &Path) -> PathBuf {
    pack.with_extension("idx")
}

/// Changes the index so that the newest entry's tree begins at a byte where no object begins.
fn misplace_tree(repo: &Repo, pack: &Path) {
    let tree = repo.git(["rev-parse", &format!("{RESERVATIONS_REF}^{{tree}}")]);
    let content = fs::read(pack).unwrap();
    let is_no_kind = |byte: &u8| matches!(byte >> 4 & 0b111, 0 | 5);
    let place = content.iter().skip(12).position(is_no_kind).expect("some byte is like that") + 12;
    let digits = |at: usize| u8::from_str_radix(&tree[at..at + 2], 16).unwrap();
    let tree: Vec<u8> = (0..tree.len()).step_by(2).map(digits).collect();
    change(&index_of(pack), |index| {
        let count = object_count(index);
        let name = |row: &usize| index[8 + 256 * 4 + row * 20..][..20] == tree;
        let row = (0..count).find(name).expect("the tree is in the pack");
        let offset = offsets_start(count) + row * 4;
        let place = u32::try_from(place).unwrap();
        index[offset..offset + 4].copy_from_slice(&place.to_be_bytes());
    });
}

/// 1/M4: whatever happens to the newest pack or its index, `doctor` tells what would be lost, the
/// repair goes on from the entry before, and no run ends as a failure of git's.
#[test]
fn a_damaged_newest_pack_is_repaired() {
    let damages: [fn(&Repo, &Path); 11] = [
        |_, pack| cut(pack, |length| length - 100),
        |_, pack| cut(pack, |_| 40),
        |_, pack| cut(pack, |_| 0),
        |_, pack| change(pack, |bytes| bytes[bytes.len() / 2] ^= 0xff),
        |_, pack| change(pack, |bytes| bytes[1] ^= 0xff),
        |_, pack| fs::remove_file(pack).unwrap(),
        // Without its index alone it is whole again at the first look.
        |_, pack| {
            cut(pack, |length| length - 100);
            fs::remove_file(index_of(pack)).unwrap();
        },
        |_, pack| cut(&index_of(pack), |length| length - 100),
        |_, pack| cut(&index_of(pack), |_| 0),
        // The first offset is said to stand in a table that is not there.
        |_, pack| {
            change(&index_of(pack), |bytes| bytes[offsets_start(object_count(bytes))] |= 0x80);
        },
        misplace_tree,
    ];
    // Each of them looks for a while before it believes in the damage.
    thread::scope(|scope| {
        for damage in damages {
            scope.spawn(move || {
                let (repo, newest) = with_newest_pack();
                let whole = repo.git(["rev-parse", &format!("{RESERVATIONS_REF}^")]);
                let lost = repo.tip();
                damage(&repo, &newest);
                let dry = repo.coord("ops", ["doctor", "--repair", "--dry-run"]).exits(exit::NO);
                dry.says(&format!("going on from {}", &whole[..10]));
                dry.says(&format!("lost: entry {}", &lost[..10]));
                assert!(!dry.stderr.contains("panicked"), "{}", dry.stderr);
                let repaired = is_found_and_repaired(&repo, &whole, &["a", "b"]);
                assert!(kept_file(&repaired).contains(&lost), "{repaired:#}");
            });
        }
    });
}

/// An index that keeps git from listing anything at all, and a ref that leads nowhere: what was
/// published is known, and the way back from there.
#[test]
fn what_git_cannot_list_is_found_by_what_was_published() {
    let repo = with_entries();
    let whole = repo.tip();
    let lost = "1234567890".repeat(4);
    fs::write(ref_file(&repo), format!("{lost}\n")).unwrap();
    let real = gits()[0].program.display();
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *batch-all-objects*) echo 'fatal: no' >&2; exit 128;; esac\n\
         exec '{real}' \"$@\"\n"
    );
    put_script(&repo.world().join("bin/git"), &script);
    let repaired = is_repaired(&repo, &whole, &["a", "b", "c"]);
    assert_eq!(repaired["known"], true, "{repaired:#}");
}
