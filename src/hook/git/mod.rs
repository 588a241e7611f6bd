//! The hooks of git: the net below the edits, for what was written through a shell, without a
//! reservation, or after it had lapsed. `app` decides; [`run`] is everything around that.

pub mod run;
