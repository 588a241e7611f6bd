//! Git objects as plain bytes and ids, for both of git's hash functions.
//!
//! Objects are made and hashed here, so that a backend only has to store and read them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// Which hash function names the objects of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashKind {
    /// 20 bytes, git's default since the beginning.
    Sha1,
    /// 32 bytes.
    Sha256,
}

impl HashKind {
    /// Length of an id in bytes.
    #[expect(clippy::len_without_is_empty, reason = "no hash is empty")]
    pub fn len(self) -> usize {
        match self {
            HashKind::Sha1 => 20,
            HashKind::Sha256 => 32,
        }
    }

    /// Git's word for it.
    pub fn name(self) -> &'static str {
        match self {
            HashKind::Sha1 => "sha1",
            HashKind::Sha256 => "sha256",
        }
    }

    /// Hash of the concatenated parts.
    pub fn digest(self, parts: &[&[u8]]) -> ObjectId {
        let mut bytes = [0u8; 32];
        match self {
            HashKind::Sha1 => {
                use sha1_checked::Digest as _;
                let mut hasher = sha1_checked::Sha1::new();
                for part in parts {
                    hasher.update(part);
                }
                bytes[..20].copy_from_slice(&hasher.finalize());
            }
            HashKind::Sha256 => {
                use sha2::Digest as _;
                let mut hasher = sha2::Sha256::new();
                for part in parts {
                    hasher.update(part);
                }
                bytes.copy_from_slice(&hasher.finalize());
            }
        }
        ObjectId { kind: self, bytes }
    }
}

/// The name of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ObjectId {
    kind: HashKind,
    bytes: [u8; 32],
}

/// A string of hexadecimal digits.
impl Serialize for ObjectId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl JsonSchema for ObjectId {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ObjectId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": "^([0-9a-f]{40}|[0-9a-f]{64})$" })
    }
}

impl ObjectId {
    /// The id in `bytes`, whose length says which hash it is.
    pub fn from_bytes(bytes: &[u8]) -> Option<ObjectId> {
        let kind = match bytes.len() {
            20 => HashKind::Sha1,
            32 => HashKind::Sha256,
            _ => return None,
        };
        let mut all = [0u8; 32];
        all[..bytes.len()].copy_from_slice(bytes);
        Some(ObjectId { kind, bytes: all })
    }

    /// The raw id.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.kind.len()]
    }

    /// Which hash made it.
    pub fn hash_kind(&self) -> HashKind {
        self.kind
    }

    /// The first 10 hexadecimal digits, for people.
    pub fn short(&self) -> String {
        self.to_string()[..10].to_owned()
    }
}

impl Ord for ObjectId {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl PartialOrd for ObjectId {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Text that is no object id.
#[derive(Debug, thiserror::Error)]
#[error("not an object id")]
pub struct NotAnObjectId;

impl FromStr for ObjectId {
    type Err = NotAnObjectId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Checked first: numbers may have a sign, ids may not.
        if !text.bytes().all(|byte| byte.is_ascii_hexdigit()) || !text.len().is_multiple_of(2) {
            return Err(NotAnObjectId);
        }
        let bytes: Result<Vec<u8>, _> = (0..text.len())
            .step_by(2)
            .map(|at| u8::from_str_radix(&text[at..at + 2], 16))
            .collect();
        bytes.ok().and_then(|bytes| ObjectId::from_bytes(&bytes)).ok_or(NotAnObjectId)
    }
}

/// What an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// A document.
    Blob,
    /// A directory of documents.
    Tree,
    /// An entry.
    Commit,
    /// An annotated tag; never written here, met when somebody points a ref at one.
    Tag,
}

impl ObjectKind {
    /// Every kind.
    pub const ALL: [ObjectKind; 4] =
        [ObjectKind::Blob, ObjectKind::Tree, ObjectKind::Commit, ObjectKind::Tag];

    /// The word in the object's header.
    pub fn name(self) -> &'static str {
        match self {
            ObjectKind::Blob => "blob",
            ObjectKind::Tree => "tree",
            ObjectKind::Commit => "commit",
            ObjectKind::Tag => "tag",
        }
    }
}

/// An object in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// What it is.
    pub kind: ObjectKind,
    /// Its content, without the header.
    pub bytes: Vec<u8>,
}

impl Object {
    /// Its name under the given hash.
    pub fn id(&self, hash: HashKind) -> ObjectId {
        let header = format!("{} {}\0", self.kind.name(), self.bytes.len());
        hash.digest(&[header.as_bytes(), &self.bytes])
    }
}

/// Objects that are not stored yet, each once and under the name that it got when it was made.
#[derive(Clone, Debug)]
pub struct NewObjects {
    hash: HashKind,
    by_id: BTreeMap<ObjectId, Object>,
}

impl NewObjects {
    /// None yet.
    pub fn new(hash: HashKind) -> NewObjects {
        NewObjects { hash, by_id: BTreeMap::new() }
    }

    /// The hash that names them.
    pub fn hash_kind(&self) -> HashKind {
        self.hash
    }

    /// One more, and its name.
    pub fn add(&mut self, object: Object) -> ObjectId {
        let id = object.id(self.hash);
        self.by_id.insert(id, object);
        id
    }

    /// All of another entry; what both have is there once.
    pub fn append(&mut self, mut other: NewObjects) {
        self.by_id.append(&mut other.by_id);
    }

    /// The object of that name.
    pub fn get(&self, id: &ObjectId) -> Option<&Object> {
        self.by_id.get(id)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// All of them, in the order of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&ObjectId, &Object)> {
        self.by_id.iter()
    }
}
