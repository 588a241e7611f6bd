//! Any bytes as a pack, its index and a multi-pack-index. Checksums are corrected, because no
//! fuzzer would ever guess them.

use git_coord::store::git::object::{HashKind, NewObjects, Object, ObjectKind};
use git_coord::store::git::pack::{Pack, read_entries};
use git_coord::store::git::packs::names_in_multi_pack_index;

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
}

/// Checks that every pack of ours can be split.
fn check_objects(input: &[u8], hash: HashKind) {
    let whole = packed(input, hash);
    let entries = read_entries(&whole.pack, &whole.index, hash).expect("because we wrote it");
    let again = Pack::from_entries(entries, hash);
    assert_eq!((again.pack, again.index), (whole.pack, whole.index));
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
