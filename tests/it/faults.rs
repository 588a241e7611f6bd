//! The traces of a write that is killed, refused by the disk or hit by a power cut, at every single
//! file operation: the old state or the new one, and nothing that blocks the next write.
//!
//! The program under test counts its file operations and fails at the one it is told to
//! (`src/store/os/files/faults.rs`; CONTRIBUTING.md explains how to do it by hand).

mod acts;
mod disk;
mod error;
mod frozen;
mod group_commit;
mod kill;
mod power;
mod redundant;
mod steps;
mod waiters;
