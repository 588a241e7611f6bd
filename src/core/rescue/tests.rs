//! The laws of snapshots.

use proptest::prelude::*;

use super::bounds::{SNAPSHOT_BYTES_MAX, SNAPSHOT_FILES_MAX, Sized, fitting};
use super::prune::{Bounds, Candidate, to_remove};
use super::restore::{Present, Reason, Step, step};
use super::{LeftOut, Owner, Record, Why};
use crate::core::pattern::Pattern;
use crate::core::time::Timestamp;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_millis(seconds * 1_000)
}

fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
    let one = (0..2_000_i64, any::<bool>());
    let one = one.prop_map(|(second, is_needed)| Candidate { at: at(second), is_needed });
    proptest::collection::vec(one, 0..40)
}

proptest! {
    /// 8/RESCUE: a snapshot is within its bounds, and leaves out no file that would have fitted.
    #[test]
    fn a_snapshot_is_bounded(
        files in proptest::collection::vec((0..20_u64 << 20, any::<bool>()), 0..60),
        max in 1..16_u64 << 20,
    ) {
        let files: Vec<Sized> =
            files.into_iter().map(|(bytes, goes_first)| Sized { bytes, goes_first }).collect();
        let sizes: Vec<u64> = files.iter().map(|file| file.bytes).collect();
        let (kept, left_out) = fitting(&files, max);
        let mut all: Vec<usize> = kept.iter().chain(&left_out).copied().collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..sizes.len()).collect::<Vec<_>>());
        let bytes: u64 = kept.iter().map(|place| sizes[*place]).sum();
        prop_assert!(bytes <= SNAPSHOT_BYTES_MAX && kept.len() <= SNAPSHOT_FILES_MAX);
        for place in left_out {
            prop_assert!(sizes[place] > max || bytes + sizes[place] > SNAPSHOT_BYTES_MAX);
        }
    }

    /// 8/RESCUE: pruning keeps the newest snapshot and every bound, and what somebody has lost goes
    /// last.
    #[test]
    fn pruning_keeps_what_is_needed(
        snapshots in candidates(), count_max in 0..20_usize, seconds_max in 0..2_000_u64,
    ) {
        let now = at(2_000);
        let removed = to_remove(&snapshots, Bounds { count_max, seconds_max }, now);
        let is_removed = |place: usize| removed.contains(&place);
        let kept: Vec<usize> = (0..snapshots.len()).filter(|place| !is_removed(*place)).collect();
        prop_assert!(kept.len() <= count_max.max(1));
        let newest = snapshots.iter().map(|it| it.at).max();
        prop_assert!(kept.iter().any(|place| Some(snapshots[*place].at) == newest)
            || snapshots.is_empty());
        let lost = removed.iter().filter(|place| snapshots[**place].is_needed).count();
        let plain = kept.iter().filter(|place| !snapshots[**place].is_needed).count();
        // The newest one may be plain, and stays beside.
        prop_assert!(lost == 0 || plain <= 1, "{snapshots:?} {removed:?}");
    }

    /// 8/RESCUE: what is too old goes, a few at a time, so that a clock which is far ahead removes
    /// little. When nothing goes any more, everything is in time.
    #[test]
    fn what_is_old_goes_little_by_little(
        mut snapshots in candidates(), seconds_max in 0..2_000_u64,
    ) {
        let now = at(2_000);
        let bounds = Bounds { count_max: 100, seconds_max };
        loop {
            let removed = to_remove(&snapshots, bounds, now);
            prop_assert!(removed.len() <= 2);
            if removed.is_empty() {
                break;
            }
            let places = snapshots.into_iter().enumerate();
            snapshots = places.filter(|it| !removed.contains(&it.0)).map(|it| it.1).collect();
        }
        let newest = snapshots.iter().map(|it| it.at).max();
        for Candidate { at, is_needed } in snapshots {
            let is_in_time = now.seconds_since(at) <= seconds_max;
            prop_assert!(is_in_time || is_needed || Some(at) == newest);
        }
    }
}

/// 8/RESCUE: what nobody tracks and no agent has made does not displace work.
#[test]
fn work_goes_before_output() {
    let file = |goes_first| Sized { bytes: u64::from(goes_first), goes_first };
    let mut files = vec![file(false); SNAPSHOT_FILES_MAX];
    files.push(file(true));
    let (kept, left_out) = fitting(&files, 9);
    assert!(kept.contains(&SNAPSHOT_FILES_MAX) && left_out == [SNAPSHOT_FILES_MAX - 1]);
}

/// 8/RESCUE: snapshots of a time when the clock was ahead do not displace the one just made.
#[test]
fn the_snapshot_just_made_stays() {
    let plain = |seconds| Candidate { at: at(seconds), is_needed: false };
    let year = 365 * 24 * 60 * 60;
    let snapshots = [plain(2_000), plain(1_999), plain(year + 1), plain(year)];
    let bounds = Bounds { count_max: 2, seconds_max: 5_000 };
    assert_eq!(to_remove(&snapshots, bounds, at(2_000)), [2, 3]);
}

/// 8/RESCUE: nothing that no commit has is replaced unless somebody said so and it is saved first,
/// and a reservation is never overridden.
#[test]
fn nothing_is_overwritten_unsaid() {
    let presents = [
        Present::Same,
        Present::Committed,
        Present::Uncommitted { can_be_saved: true },
        Present::Uncommitted { can_be_saved: false },
        Present::NoFile,
    ];
    for present in presents {
        for (is_held, is_forced) in [(false, false), (false, true), (true, false), (true, true)] {
            let step = step(present, is_held, is_forced);
            let writes = matches!(step, Step::Write | Step::SaveAndWrite);
            assert!(!(writes && is_held), "{present:?}");
            let is_change = matches!(present, Present::Uncommitted { .. });
            assert!(!(is_change && step == Step::Write), "{present:?}");
            assert!(is_forced || step != Step::SaveAndWrite, "{present:?}");
        }
    }
    assert_eq!(step(Present::Committed, false, false), Step::Write);
    let change = Present::Uncommitted { can_be_saved: true };
    assert_eq!(step(change, false, false), Step::Refuse(Reason::Changed));
    assert_eq!(step(change, false, true), Step::SaveAndWrite);
    assert_eq!(step(Present::Same, true, false), Step::Leave);
}

#[test]
fn a_record_survives_its_message() {
    let path = |text: &[u8]| Pattern::canonical(text).unwrap();
    let agent = || "claude:7f3a91c2".parse().unwrap();
    let mut record = Record::new(Why::Verb, at(5), agent(), Some("linked".parse().unwrap()))
        .before_command("git  reset --hard\n{\"rescue\":\"turn\"}");
    record.owners = vec![Owner { agent: agent(), path: path(b"src/\xff.rs") }];
    record.left_out = vec![LeftOut { path: path(b"big"), bytes: 9 << 20 }];
    let message = record.to_message(2);
    assert!(
        message.starts_with("save 2 files before a command for claude:7f3a91c2\n\n{\"rescue\"")
    );
    assert_eq!(Record::of_message(&message), Some(record));
    for other in ["", "save 1 file\n", "{\"rescue\":\"x\"}", "fix {\"rescue\":\n"] {
        assert_eq!(Record::of_message(other), None, "{other}");
    }
}

#[test]
fn a_record_has_no_secret() {
    let record = Record::new(Why::Verb, at(0), "bob".parse().unwrap(), None)
        .before_command("GITHUB_TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345 git clean -f");
    let message = record.to_message(1);
    assert!(!message.contains("ghp_") && message.contains("git clean -f"), "{message}");
}
