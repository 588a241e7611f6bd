//! The set-up of every test: an isolated repository, a clock that only moves when told, and the
//! check that nothing of the user's was touched (1/QUALITY-3: one set-up for all).

pub(crate) mod call;
pub(crate) mod content;
pub(crate) mod contract;
pub(crate) mod env;
pub(crate) mod gits;
pub(crate) mod hooks;
pub(crate) mod kind;
pub(crate) mod ledger;
pub(crate) mod notice;
pub(crate) mod output;
pub(crate) mod race;
pub(crate) mod repo;
pub(crate) mod tools;
pub(crate) mod untouched;

pub(crate) use self::call::{Call, User};
pub(crate) use self::output::{Output, texts};
pub(crate) use self::race::{race, race_unproven, rounds};
pub(crate) use self::repo::Repo;
