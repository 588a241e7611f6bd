//! `git coord domain`: what kind of project this is.

mod index;
#[cfg(test)]
#[expect(dead_code, reason = "what is not asked of processes is asked of the library")]
mod skeletons;
