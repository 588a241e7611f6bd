//! `git coord domain`: the kind of the project, and whether the recorded kind is still valid.

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
