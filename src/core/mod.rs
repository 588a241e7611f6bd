//! Documents, commands and decisions: everything that `git coord` knows, and nothing that it does.
//!
//! Every module here obeys the same rules. A decision is a pure function of the documents it is
//! given, the command, and an [`Env`](decision::Env) that carries the clock reading, the identity
//! and the op as values. Nothing in here reads a file, a clock, the environment, a random source or
//! git; a test checks that.
//!
//! - [`pattern`] says which paths a pattern means, and whether two patterns meet;
//! - [`documents`] is what a decision may read and how it edits, and [`damage`] describes documents
//!   that cannot be read;
//! - [`decision`] is the framework that all decisions share: ids, fences, events, refusals;
//! - [`clock`] says which time counts for a decision, [`place`] names the clone of the asker, and
//!   [`seen`] marks what the asker saw;
//! - [`ledger`] names the ledgers, [`laws`] checks what must be true of each, and [`rollback`]
//!   takes any of them back to an earlier state;
//! - [`command`] lists every command, as an entry records it, [`clean`] says which fields of a
//!   command are text of others, and [`redact`] removes secrets from such text;
//! - [`compaction`] chooses the entries of a chain that are kept when it is made shorter;
//! - [`bounded`] has numbers within bounds;
//! - [`duration`], [`time`], [`text`], [`ids`] and [`environment`] are the values that all of them
//!   use, and `words` defines enums of words;
//! - [`identity`] names the agent that a command belongs to;
//! - [`negotiation`] has the rules of asking, answering, taking over and of messages;
//! - [`ownership`] says whose an uncommitted change is;
//! - [`repair`] is the record of a ledger that goes on from its newest whole entry;
//! - [`rescue`] says which uncommitted content is saved, and what may be brought back;
//! - [`reservation`] has the rules of reservations, one file a verb, [`routing`] those of routing
//!   overrides, and [`run`] those of runs;
//! - [`domain`] detects what kind of project this is, and whether that is still so;
//! - [`shell`] reads the commands that an agent is about to run in a shell.

pub mod archives;
pub mod boolean;
pub mod bounded;
pub mod clean;
pub mod clock;
pub mod command;
pub mod compaction;
pub mod damage;
pub mod decision;
pub mod documents;
pub mod domain;
pub mod duration;
pub mod environment;
pub mod event;
pub mod identity;
pub mod ids;
pub mod laws;
pub mod ledger;
pub mod limits;
pub mod merge;
pub mod negotiation;
pub mod ownership;
pub mod path_list;
pub mod pattern;
pub mod place;
pub mod redact;
pub mod refusal;
pub mod repair;
pub mod rescue;
pub mod reservation;
pub mod rollback;
pub mod room;
pub mod routing;
pub mod run;
pub mod seen;
pub mod shell;
pub mod size;
pub mod text;
pub mod time;
pub mod upgrade;
mod words;
