//! Any bytes as a commit, a tree or a document of a ledger: parsed content round-trips.

use git_coord::core::time::Timestamp;
use git_coord::store::git::object::{HashKind, ObjectId};
use git_coord::store::ledger::entry::{Committer, Entry, EntryHead, rebase};
use git_coord::store::ledger::tree::{Tree, TreeEntry};

/// Parses the input as each of them.
pub(super) fn check(input: &[u8]) {
    check_commit(input);
    for hash in [HashKind::Sha1, HashKind::Sha256] {
        check_tree(input, hash);
    }
}

fn check_commit(input: &[u8]) {
    let Ok(entry) = Entry::parse(input) else { return };
    let head = EntryHead::parse(input).expect("because the whole of it can be read");
    assert_eq!(
        (head.tree, head.parent, &head.counters),
        (entry.tree, entry.parent, &entry.message.counters)
    );
    let signature = Committer::new("A", "a@example.org").signature(Timestamp::from_millis(0));
    let again = entry.to_object(&signature).bytes;
    let read = Entry::parse(&again).expect("because we wrote it");
    assert_eq!(read, entry);
    assert_eq!(read.to_object(&signature).bytes, again);
    let parent = HashKind::Sha1.digest(&[b"another parent"]);
    if let Ok(moved) = rebase(input, parent, |id| Some(*id)) {
        let moved = Entry::parse(&moved.bytes).expect("because it was an entry before");
        assert_eq!(moved.parent.or(entry.parent), entry.parent.map(|_| parent));
        assert_eq!(moved.message.counters, entry.message.counters);
    }
}

fn check_tree(input: &[u8], hash: HashKind) {
    let Ok(tree) = Tree::parse(input.to_vec(), hash) else { return };
    for TreeEntry { name, id, kind, .. } in tree.entries() {
        assert_eq!(ObjectId::from_bytes(id.as_bytes()), Some(id));
        let Ok(name) = std::str::from_utf8(name) else { continue };
        let found = tree.get(name).expect("because it is listed");
        // A document and a directory can have one name; git writes no such tree.
        assert!(found.id == id || found.kind != kind);
        assert!(tree.entries_starting(name).any(|entry| entry.name == name.as_bytes()));
    }
}
