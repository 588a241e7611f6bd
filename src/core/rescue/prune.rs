//! The snapshots of a worktree that are removed.

use crate::core::time::Timestamp;

/// The bounds of the snapshots of one worktree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The largest number of snapshots.
    pub count_max: usize,
    /// The largest age of a snapshot.
    pub seconds_max: u64,
}

/// A snapshot that may be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub at: Timestamp,
    /// Set if it has a change that its owner has lost and that no newer snapshot has.
    pub is_needed: bool,
}

/// Chooses the snapshots to remove, by their places in `snapshots`: those that are too old, then
/// the oldest until there are few enough. One that is needed goes only where all that are left are
/// needed, and never because of its age. The newest one always stays.
pub fn to_remove(snapshots: &[Candidate], bounds: Bounds, now: Timestamp) -> Vec<usize> {
    let mut oldest_first: Vec<usize> = (0..snapshots.len()).collect();
    oldest_first.sort_by_key(|place| snapshots[*place].at);
    // The newest one says what is saved, so that the same is not saved again.
    oldest_first.pop();
    let is_old = |place: &usize| {
        let Candidate { at, is_needed } = snapshots[*place];
        !is_needed && now.seconds_since(at) > bounds.seconds_max
    };
    let (mut removed, rest): (Vec<usize>, Vec<usize>) = oldest_first.into_iter().partition(is_old);
    let too_many = |removed: &[usize]| {
        (snapshots.len() - removed.len()).saturating_sub(bounds.count_max.max(1))
    };
    let (needed, others): (Vec<usize>, Vec<usize>) =
        rest.into_iter().partition(|place| snapshots[*place].is_needed);
    let excess = too_many(&removed);
    removed.extend(others.into_iter().chain(needed).take(excess));
    removed.sort_unstable();
    removed
}
