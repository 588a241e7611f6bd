//! Any bytes as a pack, its index and a multi-pack-index. Checksums are corrected, because no
//! fuzzer would ever guess them.

use git_coord::store::git::object::{HashKind, NewObjects, Object, ObjectKind};
use git_coord::store::git::pack::{Pack, PackEntry, find_similar, index_of, read_entries};
use git_coord::store::git::packs::names_in_multi_pack_index;

/// The number of bytes that a merge examines.
const BYTES_MAX: u64 = 1 << 20;

/// Parses the input as the kind that its first byte selects.
pub(super) fn check(input: &[u8]) {
    let Some((&first, rest)) = input.split_first() else { return };
    let hash = if first & 1 == 0 { HashKind::Sha1 } else { HashKind::Sha256 };
    match first >> 1 & 0b11 {
        0 => check_multi_pack_index(rest),
        1 => check_pair(rest, hash),
        2 => check_damage(rest, hash),
        _ => check_objects(rest, hash),
    }
}

fn check_multi_pack_index(input: &[u8]) {
    for name in names_in_multi_pack_index(input).unwrap_or_default() {
        assert!(name.to_string().starts_with("pack-"));
    }
}

/// Checks an index and a pack. Two bytes before them hold the length of the index.
fn check_pair(input: &[u8], hash: HashKind) {
    let [high, low, rest @ ..] = input else { return };
    let length = usize::from(u16::from_be_bytes([*high, *low])).min(rest.len());
    let (index, pack) = rest.split_at(length);
    check_read(pack, &sealed(index, hash), hash);
    // Whatever is in it, an index is made of it or refused.
    drop(index_of(&sealed(pack, hash), hash));
}

/// Checks a whole pack whose index has changed bytes. Their positions and values follow in the
/// input.
fn check_damage(input: &[u8], hash: HashKind) {
    let whole = packed(&input[..input.len().min(64)], hash);
    let mut index = whole.index[..whole.index.len() - hash.len()].to_vec();
    for change in input.chunks_exact(3) {
        let place = usize::from(u16::from_be_bytes([change[0], change[1]])) % index.len();
        index[place] = change[2];
    }
    check_read(&whole.pack, &sealed(&index, hash), hash);
}

/// Corrects the checksum of an index.
fn sealed(index: &[u8], hash: HashKind) -> Vec<u8> {
    [index, hash.digest(&[index]).as_bytes()].concat()
}

/// Checks that a pack that can be split gives the same objects after it is packed and split again.
fn check_read(pack: &[u8], index: &[u8], hash: HashKind) {
    let Ok(entries) = read_entries(pack, index, hash) else { return };
    let again = Pack::from_entries(entries.clone(), hash);
    let read = read_entries(&again.pack, &again.index, hash).expect("because we wrote it");
    assert!(read.len() <= entries.len() && read.iter().all(|entry| entries.contains(entry)));
    drop(find_similar(vec![entries.clone(), read], hash, BYTES_MAX));
}

/// Checks that every pack of ours can be split.
fn check_objects(input: &[u8], hash: HashKind) {
    let whole = packed(input, hash);
    let entries = read_entries(&whole.pack, &whole.index, hash).expect("because we wrote it");
    let again = Pack::from_entries(entries.clone(), hash);
    assert_eq!((again.pack, again.index), (whole.pack, whole.index));
    check_merge(entries, hash);
}

/// Checks that packs that are merged, and merged again with one of them, give back each object. An
/// index is made of the objects' contents, so one that is right shows that each delta is.
fn check_merge(mut entries: Vec<PackEntry>, hash: HashKind) {
    let newer = entries.split_off(entries.len() / 2);
    let count = entries.len() + newer.len();
    let mut packs = vec![entries, newer.clone()];
    for _ in 0..2 {
        let merged = Pack::from_entries(find_similar(packs, hash, BYTES_MAX), hash);
        assert_eq!(index_of(&merged.pack, hash).expect("because we wrote it"), merged.index);
        let read = read_entries(&merged.pack, &merged.index, hash).expect("because we wrote it");
        assert_eq!(read.len(), count);
        packs = vec![read, newer.clone()];
    }
}

/// Packs objects with these contents, one for each part between NUL bytes.
fn packed(contents: &[u8], hash: HashKind) -> Pack {
    let mut objects = NewObjects::new(hash);
    for (number, bytes) in contents.split(|&byte| byte == 0).enumerate() {
        let kind = ObjectKind::ALL[number % ObjectKind::ALL.len()];
        objects.add(Object { kind, bytes: bytes.to_vec() });
    }
    Pack::of_new(&objects)
}
