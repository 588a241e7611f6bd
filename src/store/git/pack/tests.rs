//! Packs against the real git, for both hash functions.

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use super::*;
use crate::store::testing::{HASHES, Repo, entry, new_objects};

fn varied_objects(hash: HashKind) -> Vec<Object> {
    let mut objects = entry(hash, "first", None);
    // Lengths around each place where the entry header grows by a byte.
    for length in [0, 15, 16, 2047, 2048, 262_143, 262_144] {
        let bytes = (0..length).map(|at| low_bits(at * 31, 8)).collect();
        objects.push(Object { kind: ObjectKind::Blob, bytes });
    }
    let commit = objects[2].id(hash);
    let bytes = format!("object {commit}\ntype commit\ntag t\ntagger A <a@b.c> 1 +0000\n\nm\n");
    objects.push(Object { kind: ObjectKind::Tag, bytes: bytes.into_bytes() });
    objects.push(objects[0].clone());
    objects
}

#[test]
fn git_accepts_the_pack_and_makes_the_same_index() {
    for hash in HASHES {
        let repo = Repo::new(hash);
        let packed = Pack::of_new(&new_objects(hash, &varied_objects(hash)));
        let mut index_pack = repo.command();
        index_pack.args(["index-pack", "--strict", "--stdin"]).stdin(Stdio::piped());
        let mut child = index_pack.stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&packed.pack).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        assert!(String::from_utf8_lossy(&output.stdout).contains(&packed.checksum.to_string()));
        let index = repo.path().join(format!("objects/pack/pack-{}.idx", packed.checksum));
        assert_eq!(fs::read(index).unwrap(), packed.index);
    }
}

#[test]
fn git_reads_pack_and_index_as_we_wrote_them() {
    for hash in HASHES {
        let repo = Repo::new(hash);
        let objects = varied_objects(hash);
        let packed = Pack::of_new(&new_objects(hash, &objects));
        let base = repo.path().join(format!("objects/pack/pack-{}", packed.checksum));
        fs::write(base.with_extension("pack"), &packed.pack).unwrap();
        fs::write(base.with_extension("idx"), &packed.index).unwrap();
        repo.git(&["verify-pack", base.with_extension("idx").to_str().unwrap()]);
        repo.git(&["fsck", "--strict", "--full"]);
        for object in objects {
            let id = object.id(hash).to_string();
            assert_eq!(repo.git(&["cat-file", "-t", &id]), object.kind.name());
            assert_eq!(repo.git(&["cat-file", "-s", &id]), object.bytes.len().to_string());
        }
    }
}

#[test]
fn an_empty_pack_is_a_pack() {
    let packed = Pack::of_new(&NewObjects::new(HashKind::Sha1));
    assert!(read_entries(&packed.pack, &packed.index, HashKind::Sha1).unwrap().is_empty());
}

#[test]
fn entries_can_be_copied_into_another_pack() {
    for hash in HASHES {
        let objects = varied_objects(hash);
        let packed = Pack::of_new(&new_objects(hash, &objects));
        let entries = read_entries(&packed.pack, &packed.index, hash).unwrap();
        assert_eq!(entries.len(), objects.len() - 1, "the object given twice is there once");
        let again = Pack::from_entries(entries, hash);
        assert_eq!((again.pack, again.index), (packed.pack, packed.index));
    }
}

#[test]
fn damage_to_a_pack_is_found_and_never_panics() {
    let hash = HashKind::Sha1;
    let packed = Pack::of_new(&new_objects(hash, &entry(hash, "text", None)));
    for length in 0..packed.pack.len() {
        assert!(read_entries(&packed.pack[..length], &packed.index, hash).is_err(), "{length}");
    }
    for place in 0..packed.pack.len() {
        let mut damaged = packed.pack.clone();
        damaged[place] ^= 1;
        assert!(read_entries(&damaged, &packed.index, hash).is_err(), "{place}");
        assert!(index_of(&damaged, hash).is_err(), "{place}");
        // A right checksum does not prove that the content is valid.
        let (body, _) = damaged.split_at(damaged.len() - hash.len());
        let checked = [body, hash.digest(&[body]).as_bytes()].concat();
        index_of(&checked, hash).ok();
    }
}

#[test]
fn packs_with_deltas_of_gits_own_kind_are_left_alone() {
    let hash = HashKind::Sha1;
    let repo = Repo::new(hash);
    let mut ids = String::new();
    for number in 0..2 {
        let path = repo.path().join("text");
        let text = "the same line again and again\n".repeat(200);
        fs::write(&path, format!("{text}{number}")).unwrap();
        ids += &(repo.git(&["hash-object", "-w", "text"]) + "\n");
    }
    let mut pack_objects = repo.command();
    pack_objects.args(["pack-objects", "--quiet", "out"]).stdin(Stdio::piped());
    let mut child = pack_objects.stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(ids.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let name = String::from_utf8(output.stdout).unwrap();
    let read = |extension| fs::read(repo.path().join(format!("out-{}.{extension}", name.trim())));
    let result = read_entries(&read("pack").unwrap(), &read("idx").unwrap(), hash);
    assert!(matches!(result, Err(UnreadablePack::HasForeignDeltas)), "{result:?}");
}

/// Builds the objects of entries as a ledger has them: each changes one of many documents of a
/// directory.
fn similar_objects(hash: HashKind, count: usize) -> Vec<Object> {
    let blob = |number: usize| Object {
        kind: ObjectKind::Blob,
        bytes: format!("{{\"holder\":\"agent\",\"path\":\"src/{number}\",\"ttl\":900}}").into(),
    };
    let mut names: Vec<ObjectId> = (0..100).map(|number| blob(number).id(hash)).collect();
    let mut objects = Vec::new();
    for number in 0..count {
        let changed = blob(1000 + number);
        names[number * 37 % 100] = changed.id(hash);
        let mut bytes = Vec::new();
        for (place, name) in names.iter().enumerate() {
            bytes.extend_from_slice(format!("100644 d{place:02}\0").as_bytes());
            bytes.extend_from_slice(name.as_bytes());
        }
        let tree = Object { kind: ObjectKind::Tree, bytes };
        let person = "A <a@example.com> 1700000000 +0000";
        let (id, blob) = (tree.id(hash), changed.id(hash));
        let text =
            format!("tree {id}\nauthor {person}\ncommitter {person}\n\nchanged {blob} by A\n");
        let commit = Object { kind: ObjectKind::Commit, bytes: text.into_bytes() };
        objects.extend([changed, tree, commit]);
    }
    objects.extend((0..100).map(blob));
    objects
}

/// Packs each entry of a ledger by itself, as writers do.
fn separate_packs(hash: HashKind, objects: &[Object]) -> Vec<Vec<PackEntry>> {
    let packed = objects.chunks(3).map(|objects| Pack::of_new(&new_objects(hash, objects)));
    packed.map(|packed| read_entries(&packed.pack, &packed.index, hash).unwrap()).collect()
}

/// 8/GROWTH: git reads our deltas, and they take a fraction of the space.
#[test]
fn similar_objects_take_little_room_and_git_reads_them() {
    for hash in HASHES {
        let repo = Repo::new(hash);
        let objects = similar_objects(hash, 60);
        let packed = Pack::of_new(&new_objects(hash, &objects));
        let entries = find_similar(separate_packs(hash, &objects), hash, u64::MAX);
        let shorter = Pack::from_entries(entries, hash);
        assert!(shorter.pack.len() * 4 < packed.pack.len(), "{}", shorter.pack.len());
        let base = repo.path().join(format!("objects/pack/pack-{}", shorter.checksum));
        fs::write(base.with_extension("pack"), &shorter.pack).unwrap();
        fs::write(base.with_extension("idx"), &shorter.index).unwrap();
        repo.git(&["verify-pack", base.with_extension("idx").to_str().unwrap()]);
        repo.git(&["fsck", "--strict", "--full"]);
        let checked =
            repo.git(&["index-pack", "--strict", base.with_extension("pack").to_str().unwrap()]);
        assert_eq!(checked, shorter.checksum.to_string());
        assert_eq!(fs::read(base.with_extension("idx")).unwrap(), shorter.index, "as git makes it");
        for pack in [&packed, &shorter] {
            assert_eq!(index_of(&pack.pack, hash).unwrap(), pack.index, "made again");
        }
        for object in &objects {
            let id = object.id(hash).to_string();
            let read = repo.command().args(["cat-file", object.kind.name(), &id]).output().unwrap();
            assert_eq!(read.stdout, object.bytes);
        }
        let entries = read_entries(&shorter.pack, &shorter.index, hash).unwrap();
        assert!(entries.iter().any(PackEntry::is_delta));
        let again = Pack::from_entries(entries, hash);
        assert_eq!((again.pack, again.index), (shorter.pack, shorter.index), "copied as they are");
    }
}

/// Returns the depth of each object that is stored by its difference.
fn depths(entries: &[PackEntry]) -> HashMap<ObjectId, u32> {
    let mut depths = HashMap::new();
    for entry in entries {
        if let Content::Delta { base, .. } = &entry.content {
            let depth = depths.get(base).copied().unwrap_or_default();
            depths.insert(entry.id, depth + 1);
        }
    }
    depths
}

/// 8/GROWTH: merged packs are merged again, and what each began with is told by what is in the one
/// before it. The chains stay as short as readers need them.
#[test]
fn packs_that_have_deltas_are_joined_by_more() {
    for hash in HASHES {
        let objects = &similar_objects(hash, 200)[..600];
        let once: Vec<Vec<PackEntry>> = separate_packs(hash, objects)
            .chunks(10)
            .map(|packs| find_similar(packs.to_vec(), hash, u64::MAX))
            .collect();
        let whole = |entries: &[PackEntry], length_min| {
            let is_whole = |entry: &&PackEntry| !entry.is_delta() && entry.length() > length_min;
            entries.iter().filter(is_whole).count()
        };
        // Trees and commits, of which there is one in each pack.
        let before: usize = once.iter().map(|entries| whole(entries, 150)).sum();
        let twice = find_similar(once.clone(), hash, u64::MAX);
        let after = whole(&twice, 150);
        assert!(before == 2 * once.len() && after * 3 < before, "{after} of {before}");
        let deepest = depths(&twice).into_values().max();
        assert!(deepest > depths(&once[0]).into_values().max());
        assert!(deepest <= Some(32), "{deepest:?}");
        let repo = Repo::new(hash);
        let packed = Pack::from_entries(twice, hash);
        let path = repo.path().join("joined.pack");
        fs::write(&path, &packed.pack).unwrap();
        let checked = repo.git(&["index-pack", path.to_str().unwrap()]);
        assert_eq!(checked, packed.checksum.to_string());
        assert_eq!(fs::read(path.with_extension("idx")).unwrap(), packed.index, "each object once");
    }
}

/// A document's id is in its directory and in the index of ids, so one of those trees is told by
/// the other although neither has a version before it.
#[test]
fn trees_of_one_entry_are_told_by_each_other() {
    let hash = HashKind::Sha1;
    let row = |mode: &str, name: &str, number: u8| {
        let id = hash.digest(&[&[number]]);
        [format!("{mode} {name}\0").as_bytes(), id.as_bytes()].concat()
    };
    let ids = (0..9).map(|number| row("100644", &format!("abcdefg{number}"), number));
    let ids = Object { kind: ObjectKind::Tree, bytes: ids.collect::<Vec<_>>().concat() };
    let path = Object { kind: ObjectKind::Tree, bytes: row("100644", "@abcdefg4", 4) };
    let packed = Pack::of_new(&new_objects(hash, &[path.clone(), ids]));
    let entries = read_entries(&packed.pack, &packed.index, hash).unwrap();
    let found = find_similar(vec![entries], hash, u64::MAX);
    let told: Vec<&PackEntry> = found.iter().filter(|entry| entry.is_delta()).collect();
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].id(), path.id(hash));
    assert!(told[0].stored_length() < 30, "its id is nowhere again: {}", told[0].stored_length());
}

/// The search ends at its limit.
#[test]
fn no_more_is_looked_at_than_may_be() {
    let hash = HashKind::Sha1;
    let packed = Pack::of_new(&new_objects(hash, &similar_objects(hash, 12)));
    let entries = read_entries(&packed.pack, &packed.index, hash).unwrap();
    let deltas = |bytes_max| {
        let found = find_similar(vec![entries.clone()], hash, bytes_max);
        found.iter().filter(|entry| entry.is_delta()).count()
    };
    assert_eq!(deltas(0), 0);
    assert!(deltas(4_000) < deltas(u64::MAX), "{} {}", deltas(4_000), deltas(u64::MAX));
}

/// Objects that were merged before do not use up the limit: new objects come first.
#[test]
fn new_objects_are_looked_at_however_much_there_is_beside_them() {
    let hash = HashKind::Sha1;
    let packs = separate_packs(hash, &similar_objects(hash, 60)[..180]);
    let (old, new) = packs.split_at(45);
    let bytes: usize = new.iter().flatten().map(PackEntry::length).sum();
    let beside = |old: Vec<Vec<PackEntry>>| {
        let count = old.iter().flatten().count();
        let found = find_similar([old, new.to_vec()].concat(), hash, bytes as u64);
        found[count..].iter().filter(|entry| entry.is_delta()).count()
    };
    let merged = find_similar(old.to_vec(), hash, u64::MAX);
    assert_eq!(beside(vec![merged]), beside(Vec::new()));
}

/// Two packs may store the delta between two objects in opposite directions.
#[test]
fn what_packs_have_in_common_is_never_told_in_a_circle() {
    let hash = HashKind::Sha1;
    let objects = similar_objects(hash, 12);
    let packed = Pack::of_new(&new_objects(hash, &objects));
    let entries = read_entries(&packed.pack, &packed.index, hash).unwrap();
    let backwards: Vec<PackEntry> = entries.iter().rev().cloned().collect();
    let joined = |entries| find_similar(vec![entries], hash, u64::MAX);
    let (one, other) = (joined(entries), joined(backwards));
    for (first, second) in [(&one, &other), (&other, &one)] {
        let both = Pack::from_entries(first.iter().chain(second).cloned(), hash);
        let alone = Pack::from_entries(first.iter().cloned(), hash);
        assert_eq!(both.pack, alone.pack);
    }
}

#[test]
fn damage_to_a_pack_with_deltas_is_found_and_never_panics() {
    let hash = HashKind::Sha1;
    let packed = Pack::of_new(&new_objects(hash, &similar_objects(hash, 3)));
    let entries = read_entries(&packed.pack, &packed.index, hash).unwrap();
    let packed = Pack::from_entries(find_similar(vec![entries], hash, u64::MAX), hash);
    for place in (0..packed.pack.len()).step_by(7) {
        let mut damaged = packed.pack.clone();
        damaged[place] ^= 0x55;
        assert!(read_entries(&damaged, &packed.index, hash).is_err(), "{place}");
    }
}
