//! Power cuts: every beginning of a write's recorded steps, without what was not forced to disk.

use std::collections::BTreeSet;

use super::acts::Act;
use super::disk::{Disk, Loss};
use super::steps::Step;

/// How many different losses at random there are of each beginning.
const RANDOM_LOSSES: u64 = 3;

fn losses(cut: usize) -> Vec<Loss> {
    let mut losses = vec![Loss::EverythingUnsynced, Loss::ContentUnsynced];
    // Seeded, so that a failure can be repeated.
    losses.extend((0..RANDOM_LOSSES).map(|seed| Loss::Random(cut as u64 * RANDOM_LOSSES + seed)));
    losses
}

#[track_caller]
fn survives(act: &Act) {
    let events = act.events_after();
    let steps = act.steps();
    let done: Vec<&Step> = steps.iter().filter(|step| step.done && step.matters()).collect();
    let mut seen = BTreeSet::new();
    let mut waited = false;
    for cut in 0..=done.len() {
        let last = cut.checked_sub(1).map_or("before the first step".into(), |at| done[at].name());
        for loss in losses(cut) {
            let case = format!("{}: power cut after {cut} steps, {last}, {loss:?}", act.name);
            let disk = Disk::after(&done[..cut], loss, &act.git_dir());
            // The acknowledged entry is there, so it is looked for whatever was seen before.
            let is_acknowledged = cut == done.len();
            if !seen.insert(disk.clone()) && !is_acknowledged {
                continue;
            }
            let stage = act.stage();
            disk.put_into(&stage.repo.git_dir());
            let is_new = stage.is_old_or_new(&case);
            assert!(is_new || !is_acknowledged, "{case}: what was acknowledged stays");
            if stage.has_unsigned_lock() {
                // Nothing tells it from a lock of git: one is waited for, and stands for all.
                if !waited {
                    stage.goes_on_after_a_wait(&case);
                }
                waited = true;
            } else {
                stage.goes_on(&case, &events);
            }
        }
    }
}

/// 0/IMP-1, 2/P1-3: also the directories of a first entry are there after it.
#[test]
fn a_first_reserve_survives_power_cuts() {
    survives(&Act::first_reserve());
}

/// 0/IMP-1, 2/P1-3.
#[test]
fn a_later_reserve_survives_power_cuts() {
    survives(&Act::later_reserve());
}

/// 0/IMP-1.
#[test]
fn a_reserve_after_pack_refs_survives_power_cuts() {
    survives(&Act::reserve_after_pack_refs());
}

/// 0/IMP-1: objects are in the old packs until the merged one is on disk.
#[test]
fn a_merge_of_packs_survives_power_cuts() {
    survives(&Act::reserve_that_merges_packs());
}

/// 4/F4.
#[test]
fn a_rollback_survives_power_cuts() {
    survives(&Act::rollback());
}

/// 0/IMP-1: five syncs make an entry durable, and no more are spent.
#[test]
fn a_later_reserve_syncs_five_times() {
    let steps = Act::later_reserve().steps();
    let syncs: Vec<String> =
        steps.iter().filter(|step| step.act.starts_with("Sync")).map(Step::name).collect();
    assert_eq!(syncs.len(), 5, "pack, index, their directory, ref, its directory: {syncs:#?}");
}
