//! Routing overrides: agents left out on trial, and taken back.

mod laws;
mod scenario;
