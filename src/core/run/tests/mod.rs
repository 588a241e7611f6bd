//! Laws and examples of runs.

mod examples;
mod laws;
mod world;
