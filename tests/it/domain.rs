//! `git coord domain`: what kind of project this is, and whether that still holds.

mod agents;
mod check;
mod damage;
mod detect;
mod dry_run;
mod golden;
mod index;
// A release build cannot be made to fail.
#[cfg(debug_assertions)]
mod kill;
mod ledger;
mod project;
mod race;
mod set;
mod skeletons;
mod trees;
