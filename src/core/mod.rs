//! Documents, commands and decisions: everything that `git coord` knows, and nothing that it does.
//!
//! Every module here obeys the same rules. A decision is a pure function of the documents it is
//! given, the command, and an [`Env`](decision::Env) that carries the clock reading, the identity
//! and the op as values. Nothing in here reads a file, a clock, the environment, a random source
//! or git; a test keeps it so.
//!
//! - [`pattern`] says which paths a pattern means, and whether two patterns meet;
//! - [`documents`] is what a decision may read and how it says what to write, and [`damage`] what
//!   is passed over;
//! - [`decision`] is the frame that all decisions share: ids, fences, events, refusals;
//! - [`ledger`] names the ledgers, [`laws`] says what must be true of each, and [`rollback`] takes
//!   any of them back to an earlier state;
//! - [`command`] lists every command, as it is recorded in an entry, [`clean`] says which words of
//!   it are of others, and [`redact`] takes secrets out of them;
//! - [`compaction`] says which entries of a chain are kept when it is made shorter;
//! - [`duration`], [`time`], [`text`], [`ids`] and [`environment`] are the values they are made of;
//! - [`negotiation`] holds the rules of asking, answering, taking over and of messages;
//! - [`repair`] is what a ledger records when it goes on from its newest whole entry;
//! - [`reservation`] holds the rules of reservations, one file a verb, [`routing`] those of routing
//!   overrides, and [`run`] those of runs;
//! - [`domain`] says what kind of project this is, and whether that still holds.

pub mod clean;
pub mod command;
pub mod compaction;
pub mod damage;
pub mod decision;
pub mod documents;
pub mod domain;
pub mod duration;
pub mod environment;
pub mod event;
pub mod ids;
pub mod laws;
pub mod ledger;
pub mod limits;
pub mod negotiation;
pub mod pattern;
pub mod redact;
pub mod refusal;
pub mod repair;
pub mod reservation;
pub mod rollback;
pub mod routing;
pub mod run;
pub mod size;
pub mod text;
pub mod time;
