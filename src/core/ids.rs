//! Ids and names of agents, holds, locks, tickets, acts, entries and requests. Each is a type of
//! its own, checked when it is made.

use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::core::limits::{AGENT_CHARS_MAX, LOCK_CHARS_MAX};
use crate::core::text::is_disguise;

/// Implements `as_str`, `Display` and the conversions from and to `String` for a newtype over text
/// that implements `FromStr`.
macro_rules! text_conversions {
    ($name:ident) => {
        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl TryFrom<String> for $name {
            type Error = <$name as std::str::FromStr>::Err;

            fn try_from(text: String) -> Result<Self, Self::Error> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

pub(crate) use text_conversions;

/// A text that is not the id or name it was given as.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadId {
    /// Not an agent's name.
    #[error(
        "'{}' is not an agent name: a letter or digit, then up to {} of letters, digits and ._:@/-",
        clipped(.0), AGENT_CHARS_MAX - 1
    )]
    Agent(String),
    /// Not an id or the beginning of one.
    #[error("'{}' is not an id: ids are 8 characters of a-z and 0-9", clipped(.0))]
    Hold(String),
    /// Not the name of a lock.
    #[error(
        "'{}' is not the name of a lock: 1 to {LOCK_CHARS_MAX} characters without / \\ .. and \
         control characters, and no blank at either end",
        clipped(.0)
    )]
    Lock(String),
    /// Not an op.
    #[error("'{}' is not an op: 32 hexadecimal digits", clipped(.0))]
    Op(String),
    /// Not an entry.
    #[error("'{}' is not an entry: name it by its commit id or its number", clipped(.0))]
    Entry(String),
    /// Not a request id.
    #[error("'{}' is not a request id: 1 to 128 visible ASCII characters", clipped(.0))]
    Request(String),
    /// Not a thread or the beginning of one.
    #[error(
        "'{}' is not a thread: threads are 26 characters of a-z and 2-7, or at least the first 4",
        clipped(.0)
    )]
    Thread(String),
    /// Not a message.
    #[error("'{}' is not a message: messages are 8 characters of a-z and 0-9", clipped(.0))]
    Message(String),
}

/// Shortens and escapes a text for a message.
fn clipped(text: &str) -> String {
    const SHOWN_MAX: usize = 80;
    let start: String = text.chars().take(SHOWN_MAX).collect();
    let more = if start.len() < text.len() { "..." } else { "" };
    format!("{}{more}", start.escape_debug())
}

/// The name of an agent or a person that acts.
///
/// `claude:7f3a91c2/reviewer` is a subagent of the session `claude:7f3a91c2`.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct AgentName(String);

text_conversions!(AgentName);

impl AgentName {
    /// Returns the name nearest to a text, such as a user name of another script: other characters
    /// become `-`, and a text with nothing to keep becomes `unknown`.
    pub fn cleaned(text: &str) -> AgentName {
        let start = text.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
        let allowed = |c: char| if c.is_ascii() && is_name_byte(c as u8) { c } else { '-' };
        let name: String = start.chars().map(allowed).take(AGENT_CHARS_MAX).collect();
        AgentName(if name.is_empty() { "unknown".to_owned() } else { name })
    }

    /// Tells whether this is the other agent, or the session that the other is a subagent of.
    pub fn covers(&self, other: &AgentName) -> bool {
        other.0.strip_prefix(&self.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }

    /// Returns the session of a subagent, and every other name as it is.
    #[must_use]
    pub fn session(&self) -> AgentName {
        let session = self.0.split('/').next().unwrap_or(&self.0);
        AgentName(session.to_owned())
    }

    /// Tells whether the two are the same agent, or one is the other's session, so that neither
    /// stands in the other's way. Two subagents of one session do stand in each other's way.
    pub fn is_one_with(&self, other: &AgentName) -> bool {
        self.covers(other) || other.covers(self)
    }
}

impl FromStr for AgentName {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let begins_well = text.starts_with(|first: char| first.is_ascii_alphanumeric());
        if begins_well && text.len() <= AGENT_CHARS_MAX && text.bytes().all(is_name_byte) {
            Ok(AgentName(text.to_owned()))
        } else {
            Err(BadId::Agent(text.to_owned()))
        }
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._:@/-".contains(&byte)
}

/// The characters of ids.
pub const ID_ALPHABET: &[u8; 36] = b"abcdefghijklmnopqrstuvwxyz0123456789";
const ID_LENGTH: usize = 8;

/// An id that is derived from the act that makes it.
pub trait Derived: Sized {
    /// Derives the id of the thing that is number `counter` of those that the act `op` makes.
    fn derive(op: &OpId, counter: u64) -> Self;
}

fn derived_text(op: &OpId, counter: u64) -> String {
    short_text(Sha256::new().chain_update(&op.0).chain_update(counter.to_le_bytes()))
}

/// Makes an id from a hash.
pub(crate) fn short_text(hashed: Sha256) -> String {
    let digest = hashed.finalize();
    id_text(u64::from_le_bytes(digest[..8].try_into().expect("a digest has 32 bytes")))
}

/// The id of a hold.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct HoldId(String);

text_conversions!(HoldId);

impl Derived for HoldId {
    fn derive(op: &OpId, counter: u64) -> HoldId {
        HoldId(derived_text(op, counter))
    }
}

/// Writes a number with the characters of ids.
pub(crate) fn id_text(mut number: u64) -> String {
    let mut text = String::with_capacity(ID_LENGTH);
    for _ in 0..ID_LENGTH {
        let at = usize::try_from(number % 36).expect("below 36");
        text.push(char::from(ID_ALPHABET[at]));
        number /= 36;
    }
    text
}

impl FromStr for HoldId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let prefix: HoldIdPrefix = text.parse()?;
        if prefix.0.len() == ID_LENGTH { Ok(HoldId(prefix.0)) } else { Err(BadId::Hold(prefix.0)) }
    }
}

/// The beginning of a [`HoldId`], as people type it.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct HoldIdPrefix(String);

text_conversions!(HoldIdPrefix);

impl FromStr for HoldIdPrefix {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let length_fits = (1..=ID_LENGTH).contains(&text.len());
        if length_fits && text.bytes().all(|byte| ID_ALPHABET.contains(&byte)) {
            Ok(HoldIdPrefix(text.to_owned()))
        } else {
            Err(BadId::Hold(text.to_owned()))
        }
    }
}

/// The id of the ticket of a waiting agent.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct TicketId(String);

text_conversions!(TicketId);

impl TicketId {
    /// Makes an id of random bits. The waiting process chooses them, because it also names its
    /// files by the ticket.
    pub fn from_bits(bits: u64) -> TicketId {
        TicketId(id_text(bits))
    }
}

impl FromStr for TicketId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse::<HoldId>().map(|id| TicketId(id.0))
    }
}

/// The name of a lock, whose meaning its users agree on.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct LockName(String);

text_conversions!(LockName);

impl FromStr for LockName {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let length_fits = (1..=LOCK_CHARS_MAX).contains(&text.chars().count());
        let looks_like_path = text.contains(['/', '\\']) || text.contains("..");
        if length_fits && text.trim() == text && !looks_like_path && !text.contains(is_disguise) {
            Ok(LockName(text.to_owned()))
        } else {
            Err(BadId::Lock(text.to_owned()))
        }
    }
}

/// The id of one act, however often it is decided: 128 random bits.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct OpId(String);

text_conversions!(OpId);

impl OpId {
    pub fn from_bits(bits: u128) -> OpId {
        OpId(format!("{bits:032x}"))
    }

    /// Returns the op as a number, which takes less room.
    pub fn to_bits(&self) -> u128 {
        u128::from_str_radix(&self.0, 16).expect("an op is hexadecimal")
    }

    /// Returns a number as random as the op, for work that is done on one part of the whole at a
    /// time.
    pub fn turn(&self) -> u64 {
        u64::from_str_radix(&self.0[16..], 16).expect("an op is hexadecimal")
    }
}

impl FromStr for OpId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.len() == 32 && is_lower_hex(text) {
            Ok(OpId(text.to_owned()))
        } else {
            Err(BadId::Op(text.to_owned()))
        }
    }
}

/// An entry of a ledger: the id of its commit, the beginning of that, or its number.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct EntryName(String);

text_conversions!(EntryName);

impl FromStr for EntryName {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if (1..=64).contains(&text.len()) && is_lower_hex(text) {
            Ok(EntryName(text.to_owned()))
        } else {
            Err(BadId::Entry(text.to_owned()))
        }
    }
}

fn is_lower_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
}

/// The id that a caller gives to its request, so that repeating it is harmless.
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct RequestId(String);

text_conversions!(RequestId);

impl FromStr for RequestId {
    type Err = BadId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if (1..=128).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic()) {
            Ok(RequestId(text.to_owned()))
        } else {
            Err(BadId::Request(text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str) -> AgentName {
        name.parse().unwrap()
    }

    #[test]
    fn agent_names_keep_their_alphabet() {
        for good in ["a", "claude:7f3a91c2", "alice@host.example", "claude:7f3a91c2/review-1"] {
            assert_eq!(agent(good).as_str(), good);
        }
        for bad in ["", "-a", "a b", "a\nb", "é", "$(x)", &"a".repeat(65), "a\u{202e}b"] {
            assert!(bad.parse::<AgentName>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn names_of_locks_are_no_paths() {
        for good in ["build", "port 8080", "db:migrations", "größe", &"é".repeat(100)] {
            assert_eq!(good.parse::<LockName>().unwrap().as_str(), good);
        }
        let long = "a".repeat(101);
        for bad in ["", " ", " a", "a ", "a/b", "a\\b", "..", "a..b", "a\nb", "a\u{202e}b", &long] {
            assert!(bad.parse::<LockName>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_session_covers_its_subagents_and_subagents_are_strangers() {
        let session = agent("claude:7f3a91c2");
        let first = agent("claude:7f3a91c2/a");
        let second = agent("claude:7f3a91c2/b");
        assert!(session.covers(&first) && !first.covers(&session));
        assert!(session.is_one_with(&first) && first.is_one_with(&session));
        assert!(!first.is_one_with(&second));
        assert!(!agent("claude:7f3a").covers(&session), "a shared beginning is no session");
    }

    #[test]
    fn any_text_can_be_cleaned_to_a_name() {
        let long = "ü".repeat(100) + &"x".repeat(100);
        for text in ["", "Mia Müller@höst", "_build", "日本", "ok@host", long.as_str()] {
            let cleaned = AgentName::cleaned(text);
            assert_eq!(cleaned.as_str().parse(), Ok(cleaned.clone()), "{text}");
        }
        assert_eq!(AgentName::cleaned("Mia Müller@höst").as_str(), "Mia-M-ller@h-st");
    }

    /// 1/ARCH-2: ids are short and of one alphabet.
    #[test]
    fn derived_ids_are_valid_and_differ() {
        let op = OpId::from_bits(7);
        let ids: std::collections::BTreeSet<_> =
            (0..1_000).map(|n| HoldId::derive(&op, n)).collect();
        assert_eq!(ids.len(), 1_000);
        assert!(ids.iter().all(|id| id.as_str().parse::<HoldId>().is_ok()));
    }
}
