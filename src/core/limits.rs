//! The limits of everything that is stored or asked, in one place.
//!
//! The limits of a single pattern stand beside the pattern code, in
//! [`pattern::bounds`](crate::core::pattern).

use crate::core::time::Ttl;

/// Live holds that one agent may have.
pub const HOLDS_PER_AGENT_MAX: usize = 1_000;
/// Live holds, of all agents, whose pattern begins with a wildcard: every check reads them.
pub const ROOT_WILDCARDS_MAX: usize = 256;
/// Patterns that one command may name, after braces are expanded.
pub const PATTERNS_PER_COMMAND_MAX: usize = 500;
/// Paths that one hold leaves out because its holder gave them away.
pub const EXCEPTIONS_MAX: usize = 64;
/// Expired holds that one entry sweeps; a sweep goes on in further entries.
pub const SWEPT_PER_ENTRY_MAX: usize = 5_000;
/// Documents of one kind that a write looks at in passing for each hold that it makes, and anyway.
/// Two for one, so that holds that end are swept faster than others are made.
pub const SWEPT_IN_PASSING_MAX: usize = 2;
/// The time for which a ticket keeps its place. Its waiter renews it, so that a waiter that has
/// died on another machine is in nobody's way for long.
pub const TICKET_SECONDS_MAX: u64 = 5 * 60;
/// Requests that wait at once, of all agents: each of them reads all tickets.
pub const TICKETS_MAX: usize = 1_000;
/// The time for which the answer to a request id is kept.
pub const REQUEST_KEPT_SECONDS: u64 = 7 * 24 * 60 * 60;

/// The time that a holder has to answer a request.
pub const WINDOW_SECONDS: u64 = 10 * 60;
/// The time that a holder has to answer an urgent request.
pub const URGENT_WINDOW_SECONDS: u64 = 5 * 60;
/// The time for which a tool call counts as open: if its end was not reported, nobody knows it.
pub const CALL_SECONDS_MAX: u64 = 60 * 60;
/// The longest time by which a holder can defer its answer, once.
pub const DEFER_SECONDS_MAX: u64 = 60 * 60;
/// Requests of one agent that wait for an answer.
pub const OPEN_ASKS_PER_AGENT_MAX: usize = 1_000;
/// Agents that one message goes to.
pub const RECIPIENTS_MAX: usize = 100;
/// Threads that one entry prunes; pruning goes on in further entries.
pub const PRUNED_PER_ENTRY_MAX: usize = 500;
/// Bytes of a message.
pub const BODY_BYTES_MAX: usize = 100 * 1024;

/// Characters of a reason, a task, or any other line of text.
pub const LINE_CHARS_MAX: usize = 500;
/// Characters of the name of a lock.
pub const LOCK_CHARS_MAX: usize = 100;
/// Characters of an agent's name.
pub const AGENT_CHARS_MAX: usize = 64;

/// Phases of a run.
pub const PHASES_MAX: usize = 64;
/// Characters of a phase's name.
pub const PHASE_CHARS_MAX: usize = 64;
/// Runs that one run may wait for.
pub const UPSTREAMS_MAX: usize = 64;
/// Runs that one run may be the parent of.
pub const CHILDREN_MAX: usize = 1_000;
/// Rules of one gate.
pub const GATE_RULES_MAX: usize = 32;
/// Runs that the evidence of one condition names; it also has their number.
pub const BEHIND_NAMED_MAX: usize = 5;
/// Values that a caller may keep with a run.
pub const METADATA_MAX: usize = 16;
/// Characters of the name of such a value.
pub const METADATA_KEY_CHARS_MAX: usize = 64;
/// Commits that one dispatch may name.
pub const DISPATCH_COMMITS_MAX: usize = 100;
/// Tokens that are counted: beyond this number JSON readers lose the last digits.
pub const TOKENS_MAX: u64 = 1 << 50;

/// Bytes of one document that a reader accepts.
pub const DOCUMENT_BYTES_MAX: usize = 256 * 1024;
/// Entries of one tree node that a reader accepts.
pub const NODE_ENTRIES_MAX: usize = 20_000;
/// Directories that one walk lists.
pub const DIRECTORIES_MAX: usize = 1_000_000;
/// Documents that one walk meets.
pub const DOCUMENTS_MAX: usize = 1_000_000;
/// Directories that one walk lists, even if all of them are alike.
pub const DIRECTORIES_ANYHOW: usize = 10_000;
/// Beyond that, directories that one walk lists for each distinct one. A tree can name one subtree
/// many times over, and so have more paths than anybody can walk.
pub const DIRECTORIES_ALIKE_MAX: usize = 256;
/// Depth of a tree that a reader follows.
pub const TREE_DEPTH_MAX: usize = 64;
/// Bytes of one entry's message that a reader accepts.
pub const MESSAGE_BYTES_MAX: usize = 64 * 1024 * 1024;
/// Recorded inputs above this size are kept as a document instead of a line of the message.
pub const INLINE_COMMAND_BYTES_MAX: usize = 4 * 1024;

/// The shortest life of a hold.
pub const TTL_MIN: Ttl = Ttl::from_seconds_const(1);
/// The longest life of a hold.
pub const TTL_MAX: Ttl = Ttl::from_seconds_const(24 * 60 * 60);
