//! Git objects as plain bytes and ids, for both of git's hash functions.
//!
//! Objects are created and hashed here, so that a backend only has to store and read them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

/// The hash function that names the objects of a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashKind {
    /// 20 bytes. Git's default.
    Sha1,
    /// 32 bytes.
    Sha256,
}

impl HashKind {
    /// Returns the length of an id in bytes.
    #[expect(clippy::len_without_is_empty, reason = "no hash is empty")]
    pub fn len(self) -> usize {
        match self {
            HashKind::Sha1 => 20,
            HashKind::Sha256 => 32,
        }
    }

    /// Returns git's name of the hash function.
    pub fn name(self) -> &'static str {
        match self {
            HashKind::Sha1 => "sha1",
            HashKind::Sha256 => "sha256",
        }
    }

    /// Computes the checksum of a file. Unlike a name it need not withstand an attack, so that, as
    /// in git, nothing looks for one: with the processor's help this takes a tenth of the time.
    pub fn checksum(self, content: &[u8]) -> ObjectId {
        match self {
            HashKind::Sha1 => {
                use sha1::Digest as _;
                let mut bytes = [0u8; 32];
                bytes[..20].copy_from_slice(&sha1::Sha1::digest(content));
                ObjectId { kind: self, bytes }
            }
            HashKind::Sha256 => self.digest(&[content]),
        }
    }

    /// Hashes the concatenated parts.
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

/// The digits of an id.
const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The id of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ObjectId {
    kind: HashKind,
    bytes: [u8; 32],
}

/// Serialises the id as a string of hexadecimal digits.
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
    /// Builds an id from its bytes, whose number determines the hash function.
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

    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.kind.len()]
    }

    pub fn hash_kind(&self) -> HashKind {
        self.kind
    }

    /// Returns the first 10 hexadecimal digits, for people.
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
        // Every hook spells many ids, and to format each byte takes ten times as long.
        let mut digits = [0; 64];
        for (byte, pair) in self.as_bytes().iter().zip(digits.chunks_exact_mut(2)) {
            pair.copy_from_slice(&[byte >> 4, byte & 15].map(|half| DIGITS[usize::from(half)]));
        }
        let digits = &digits[..2 * self.kind.len()];
        f.write_str(std::str::from_utf8(digits).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The error for text that is not an object id.
#[derive(Debug, thiserror::Error)]
#[error("not an object id")]
pub struct NotAnObjectId;

impl FromStr for ObjectId {
    type Err = NotAnObjectId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Checked first: `from_str_radix` accepts a sign.
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

/// The kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// Holds a document.
    Blob,
    /// Holds a directory of documents.
    Tree,
    /// Holds an entry.
    Commit,
    /// An annotated tag. This program never writes one, but somebody may point a ref at one.
    Tag,
}

impl ObjectKind {
    pub const ALL: [ObjectKind; 4] =
        [ObjectKind::Blob, ObjectKind::Tree, ObjectKind::Commit, ObjectKind::Tag];

    /// Returns the word in the object's header.
    pub fn name(self) -> &'static str {
        match self {
            ObjectKind::Blob => "blob",
            ObjectKind::Tree => "tree",
            ObjectKind::Commit => "commit",
            ObjectKind::Tag => "tag",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    pub kind: ObjectKind,
    /// The content, without the header.
    pub bytes: Vec<u8>,
}

impl Object {
    /// Computes the id.
    pub fn id(&self, hash: HashKind) -> ObjectId {
        let header = format!("{} {}\0", self.kind.name(), self.bytes.len());
        hash.digest(&[header.as_bytes(), &self.bytes])
    }
}

/// Objects that are not stored yet, by id.
#[derive(Clone, Debug)]
pub struct NewObjects {
    hash: HashKind,
    by_id: BTreeMap<ObjectId, Object>,
}

impl NewObjects {
    pub fn new(hash: HashKind) -> NewObjects {
        NewObjects { hash, by_id: BTreeMap::new() }
    }

    pub fn hash_kind(&self) -> HashKind {
        self.hash
    }

    /// Adds an object and returns its id.
    pub fn add(&mut self, object: Object) -> ObjectId {
        let id = object.id(self.hash);
        self.by_id.insert(id, object);
        id
    }

    /// Adds an object whose id is known.
    pub fn add_as(&mut self, id: ObjectId, object: Object) {
        debug_assert_eq!(id, object.id(self.hash));
        self.by_id.insert(id, object);
    }

    /// Adds the objects of another set.
    pub fn append(&mut self, mut other: NewObjects) {
        self.by_id.append(&mut other.by_id);
    }

    pub fn get(&self, id: &ObjectId) -> Option<&Object> {
        self.by_id.get(id)
    }

    pub fn is_empty(&self) -> bool {
        self.by_id.is_empty()
    }

    /// Iterates over the objects in the order of their ids.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&ObjectId, &Object)> {
        self.by_id.iter()
    }
}
