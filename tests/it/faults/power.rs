//! Power cuts: every prefix of a write's recorded steps, without the changes that were not synced.

use std::collections::BTreeSet;

use super::acts::Act;
use super::disk::{Disk, Loss};
use super::steps::Step;

/// The number of random losses for each prefix.
const RANDOM_LOSSES: u64 = 3;

fn losses(cut: usize) -> Vec<Loss> {
    let mut losses = vec![Loss::EverythingUnsynced, Loss::ContentUnsynced];
    // Seeded, so that a failure can be repeated.
    losses.extend((0..RANDOM_LOSSES).map(|seed| Loss::Random(cut as u64 * RANDOM_LOSSES + seed)));
    losses
}

/// Lists the possible states of the disk when the power was cut: prefixes of the steps. Files that
/// are synced one after another are written at the same time and in any order, so that any of the
/// last ones may be missing.
fn beginnings<'a>(done: &[&'a Step]) -> Vec<Vec<&'a Step>> {
    let mut beginnings = Vec::new();
    for cut in 0..=done.len() {
        let at_once = done[..cut].iter().rev().take_while(|step| step.act == "Sync").count();
        let (before, at_once) = done[..cut].split_at(cut - at_once);
        for reached in 0..1_u32 << at_once.len() {
            let there = at_once.iter().enumerate().filter(|(at, _)| reached >> at & 1 == 1);
            beginnings.push(before.iter().copied().chain(there.map(|(_, step)| *step)).collect());
        }
    }
    beginnings
}

#[track_caller]
fn survives(act: &Act) {
    let events = act.events_after();
    let steps = act.steps();
    let done: Vec<&Step> = steps.iter().filter(|step| step.done && step.matters()).collect();
    let mut seen = BTreeSet::new();
    let mut repaired = false;
    for beginning in beginnings(&done) {
        let cut = beginning.len();
        let last = beginning.last().map_or("before the first step".into(), |step| step.name());
        for loss in losses(cut) {
            let case = format!("{}: power cut after {cut} steps, {last}, {loss:?}", act.name);
            let disk = Disk::after(&beginning, loss, &act.git_dir());
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
                // Nothing tells it from a lock of git: one is repaired, and stands for all.
                if !repaired {
                    stage.goes_on_after_a_repair(&case, &events);
                }
                repaired = true;
            } else {
                stage.goes_on(&case, &events);
                stage.clears_up(&case);
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

/// 0/IMP-1, 0/RACE-01-crash.
#[test]
fn an_apply_survives_power_cuts() {
    survives(&Act::later_apply());
}

/// 4/F4.
#[test]
fn a_rollback_of_a_run_survives_power_cuts() {
    survives(&Act::run_rollback());
}

/// 0/IMP-1: five syncs make an entry durable, and no more are spent. Three of them are at the same
/// time: pack, index and the ref's next value.
#[test]
fn a_later_reserve_waits_for_the_disk_three_times() {
    let steps = Act::later_reserve().steps();
    let is_sync = |step: &&Step| step.act.starts_with("Sync");
    let syncs: Vec<String> = steps.iter().filter(is_sync).map(Step::name).collect();
    let acts: Vec<&str> = steps.iter().map(|step| step.act.as_str()).collect();
    let at_once = acts.windows(3).any(|three| three == ["Sync"; 3]);
    assert!(at_once && syncs.len() == 5, "{syncs:#?}");
    assert_eq!(syncs[3], "SyncDirectory objects/pack");
    assert_eq!(syncs[4], "SyncDirectory refs/coord");
}

/// 3/GAPS-2: what was answered survives the machine.
#[test]
fn an_answer_survives_power_cuts() {
    survives(&Act::answer());
}
