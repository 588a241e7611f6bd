//! Checks how much room the ledgers take, and says how to free some.

use crate::app::Ctx;
use crate::app::doctor::{Check, State};
use crate::app::error::AppError;
use crate::core::size::in_words;
use crate::store::git::packs::{DiskUsage, Packs};

/// From this size on a compaction is suggested.
const BYTES_MANY: u64 = 100_000_000;

/// Checks the size of our packs.
pub(super) fn packs(ctx: &Ctx) -> Result<Check, AppError> {
    let common = ctx.repository.common_dir();
    let hash = ctx.repository.hash_kind();
    let packs = Packs::new(common, &common.join("objects"), hash, ctx.files);
    Ok(check(&packs.disk_usage().map_err(AppError::files)?))
}

fn check(usage: &DiskUsage) -> Check {
    const NAME: &str = "packs";
    let mut text = format!("{} of ours, {}", usage.packs, in_words(usage.bytes));
    if usage.redundant > 0 {
        text = format!("{text}; {} of them were merged and go later", usage.redundant);
    }
    if usage.bytes < BYTES_MANY {
        return Check::ok(NAME, text);
    }
    let compact = ["git", "coord", "ledger", "compact", "--dry-run"];
    Check::new(NAME, State::Note, text).with_next(&compact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn much_room_comes_with_what_makes_it_less() {
        let small = check(&DiskUsage { packs: 3, redundant: 0, bytes: 4_000 });
        assert_eq!((small.state, small.text.as_str()), (State::Ok, "3 of ours, 4 KB"));
        let large = check(&DiskUsage { packs: 20, redundant: 11, bytes: 488_000_000 });
        assert_eq!(large.state, State::Note);
        assert_eq!(large.text, "20 of ours, 488 MB; 11 of them were merged and go later");
        assert_eq!(large.next[0].join(" "), "git coord ledger compact --dry-run");
    }
}
