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
        assert_eq!(object_count(&packed.index[..1032]).unwrap(), entries.len());
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
    }
}

#[test]
fn packs_with_deltas_are_left_alone() {
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
    assert!(matches!(result, Err(UnreadablePack::HasDeltas)), "{result:?}");
}
