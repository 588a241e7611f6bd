//! The hooks of git: the net below the edits, for what was written through a shell, without a
//! reservation, or after it had lapsed. `app` decides; [`run`] is everything around that. And
//! [`fsmonitor`], which git runs before it touches a file.

pub mod fsmonitor;
pub mod run;
