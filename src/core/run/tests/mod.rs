//! What must be true of runs, whatever is done to them.

mod examples;
mod laws;
mod world;
