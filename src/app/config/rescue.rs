//! The settings of snapshots of uncommitted content.

use super::{Lookup, SettingError, ValueFault, boolean, required};
use crate::core::duration::parse_duration;
use crate::core::rescue::bounds::SNAPSHOT_BYTES_MAX;
use crate::core::rescue::prune::Bounds;

/// The largest number of snapshots of a worktree.
const COUNT_MAX: usize = 1_000;

/// The settings of snapshots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RescueSettings {
    /// `coord.rescue.enabled`.
    pub enabled: bool,
    /// `coord.rescue.maxFile`, in bytes.
    pub file_bytes_max: u64,
    /// `coord.rescue.max` and `coord.rescue.keep`.
    pub bounds: Bounds,
}

impl RescueSettings {
    pub(super) fn read(lookup: Lookup<'_>) -> Result<RescueSettings, SettingError> {
        let keep = required(lookup, "coord.rescue.keep", |text| Ok(parse_duration(text)?))?;
        Ok(RescueSettings {
            enabled: required(lookup, "coord.rescue.enabled", boolean)?,
            file_bytes_max: required(lookup, "coord.rescue.maxFile", size)?,
            bounds: Bounds {
                count_max: required(lookup, "coord.rescue.max", count)?,
                seconds_max: keep.as_secs(),
            },
        })
    }
}

/// Reads a number of bytes as git does: `k` and `m` stand for 1024 and its square.
pub(super) fn size(text: &str) -> Result<u64, ValueFault> {
    let lower = text.to_ascii_lowercase();
    let (digits, unit) = match lower.as_bytes().last() {
        Some(b'k') => (&lower[..lower.len() - 1], 1 << 10),
        Some(b'm') => (&lower[..lower.len() - 1], 1 << 20),
        _ => (lower.as_str(), 1),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let count: Option<u64> = is_number.then(|| digits.parse().ok()).flatten();
    let bytes = count.and_then(|count| count.checked_mul(unit));
    bytes.filter(|bytes| (1..=SNAPSHOT_BYTES_MAX).contains(bytes)).ok_or(ValueFault::Size)
}

/// Reads a number of snapshots.
pub(super) fn count(text: &str) -> Result<usize, ValueFault> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let count: Option<usize> = is_number.then(|| text.parse().ok()).flatten();
    count.filter(|count| (1..=COUNT_MAX).contains(count)).ok_or(ValueFault::Count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_of_git() {
        for (text, bytes) in [("1", 1), ("500k", 512_000), ("8m", 8 << 20), ("64M", 64 << 20)] {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        for bad in ["", "0", "m", "-1", "+8m", "65m", "8g", "8mb", "18446744073709551615k"] {
            assert_eq!(size(bad), Err(ValueFault::Size), "{bad}");
        }
        assert_eq!((count("1"), count("1000")), (Ok(1), Ok(1000)));
        for bad in ["", "0", "1001", "-1", "x", "+5"] {
            assert_eq!(count(bad), Err(ValueFault::Count), "{bad}");
        }
    }
}
