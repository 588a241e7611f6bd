//! What a write leaves behind when it is killed, when the disk refuses, or when the power goes, at
//! every single file operation: the old state or the new one, and nothing that blocks the next.
//!
//! The program under test counts its file operations and fails at the one it is told to
//! (`src/store/os/files/faults.rs`; CONTRIBUTING.md says how to do it by hand).

mod acts;
mod disk;
mod error;
mod frozen;
mod group_commit;
mod kill;
mod power;
mod steps;
mod waiters;
