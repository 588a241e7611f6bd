//! Points in time and spans of it, as values. Nothing here reads a clock.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::limits;

/// A moment, to the millisecond, written as RFC 3339 in UTC.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(jiff::Timestamp);

/// A text that is not an RFC 3339 time.
#[derive(Debug, thiserror::Error)]
#[error("'{0}' is not a time such as 2026-01-31T08:30:00Z")]
pub struct NotATime(String);

impl Timestamp {
    /// Returns the moment so many milliseconds after 1970 began; a number out of range becomes the
    /// last possible moment.
    pub fn from_millis(millis: i64) -> Timestamp {
        Timestamp(jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX))
    }

    /// Returns the milliseconds since 1970 began.
    pub fn as_millis(self) -> i64 {
        self.0.as_millisecond()
    }

    /// Formats the moment to the second and without punctuation, for names of refs and files:
    /// `20260131T083000Z`.
    pub fn compact(self) -> String {
        self.0.strftime("%Y%m%dT%H%M%SZ").to_string()
    }

    /// Reads a moment that [`Timestamp::compact`] has formatted.
    pub fn of_compact(text: &str) -> Option<Timestamp> {
        let part = |from: usize, to: usize| text.get(from..to);
        let date = [part(0, 4)?, part(4, 6)?, part(6, 8)?].join("-");
        let time = [part(9, 11)?, part(11, 13)?, part(13, 15)?].join(":");
        let at: Timestamp = format!("{date}T{time}Z").parse().ok()?;
        (at.compact() == text).then_some(at)
    }

    /// Returns the whole seconds since 1970 began.
    pub fn as_seconds(self) -> i64 {
        self.0.as_second()
    }

    /// Returns the moment one life later, or the last possible one.
    #[must_use]
    pub fn plus(self, ttl: Ttl) -> Timestamp {
        self.plus_seconds(ttl.as_seconds())
    }

    /// Returns the moment so many seconds later, or the last possible one.
    #[must_use]
    pub fn plus_seconds(self, seconds: u64) -> Timestamp {
        let millis = i64::try_from(seconds).unwrap_or(i64::MAX).saturating_mul(1_000);
        Timestamp::from_millis(self.as_millis().saturating_add(millis))
    }

    /// Returns the moment so many milliseconds later, or the last possible one.
    #[must_use]
    pub fn plus_millis(self, millis: u128) -> Timestamp {
        let millis = i64::try_from(millis).unwrap_or(i64::MAX);
        Timestamp::from_millis(self.as_millis().saturating_add(millis))
    }

    /// Counts the whole seconds from `earlier` to this moment; 0 if it is not earlier.
    pub fn seconds_since(self, earlier: Timestamp) -> u64 {
        let millis = self.as_millis().saturating_sub(earlier.as_millis());
        u64::try_from(millis / 1_000).unwrap_or(0)
    }
}

impl FromStr for Timestamp {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed: jiff::Timestamp = text.parse().map_err(|_| NotATime(text.to_owned()))?;
        Ok(Timestamp::from_millis(parsed.as_millisecond()))
    }
}

impl TryFrom<String> for Timestamp {
    type Error = NotATime;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Timestamp> for String {
    fn from(at: Timestamp) -> String {
        at.to_string()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The time that a hold lives unless it is renewed: 1 second to 24 hours.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "u64", into = "u64")]
pub struct Ttl(u64);

/// A time to live outside the limits.
#[derive(Debug, thiserror::Error)]
#[error("a TTL must be from {} to {}, not {seconds}s", limits::TTL_MIN, limits::TTL_MAX)]
pub struct BadTtl {
    pub seconds: u64,
}

impl Ttl {
    /// Makes a value without a check, for the limits themselves.
    pub(crate) const fn from_seconds_const(seconds: u64) -> Ttl {
        Ttl(seconds)
    }

    /// Checks that the seconds are within the limits.
    pub fn from_seconds(seconds: u64) -> Result<Ttl, BadTtl> {
        let ttl = Ttl(seconds);
        if (limits::TTL_MIN..=limits::TTL_MAX).contains(&ttl) {
            Ok(ttl)
        } else {
            Err(BadTtl { seconds })
        }
    }

    pub const fn as_seconds(self) -> u64 {
        self.0
    }
}

impl TryFrom<u64> for Ttl {
    type Error = BadTtl;

    fn try_from(seconds: u64) -> Result<Self, Self::Error> {
        Ttl::from_seconds(seconds)
    }
}

impl From<Ttl> for u64 {
    fn from(ttl: Ttl) -> u64 {
        ttl.0
    }
}

impl fmt::Display for Ttl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&span(self.0))
    }
}

/// Formats a span of time in the largest unit that divides it: `90s`, `15m`, `2h`, `7d`.
pub fn span(seconds: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(24 * 60 * 60, "d"), (60 * 60, "h"), (60, "m")];
    UNITS
        .iter()
        .find(|(length, _)| seconds >= *length && seconds.is_multiple_of(*length))
        .map_or_else(
            || format!("{seconds}s"),
            |(length, unit)| format!("{}{unit}", seconds / length),
        )
}

/// Formats a span of time for people, rounded down so that nobody is promised time that is not
/// there.
pub fn about(seconds: u64) -> String {
    match seconds {
        0..=119 => format!("{seconds}s"),
        120..=7_199 => format!("{}m", seconds / 60),
        7_200..=172_799 => format!("{}h", seconds / 3_600),
        _ => format!("{}d", seconds / 86_400),
    }
}

/// Formats a point in time as seen from `now`, both in seconds: `in 14m`, `3m ago`, `now`.
pub fn relative(at: i64, now: i64) -> String {
    let distance = at.abs_diff(now);
    match at.cmp(&now) {
        std::cmp::Ordering::Less => format!("{} ago", about(distance)),
        std::cmp::Ordering::Equal => "now".to_owned(),
        std::cmp::Ordering::Greater => format!("in {}", about(distance)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_survive_a_round_trip_to_the_millisecond() {
        let at: Timestamp = "2026-01-31T08:30:00.123456Z".parse().unwrap();
        assert_eq!(at.to_string(), "2026-01-31T08:30:00.123Z");
        assert_eq!(at.to_string().parse::<Timestamp>().unwrap(), at);
    }

    #[test]
    fn compact_times_are_read_to_the_second() {
        let at: Timestamp = "2026-01-31T08:30:00.123Z".parse().unwrap();
        assert_eq!(at.compact(), "20260131T083000Z");
        let read = Timestamp::of_compact("20260131T083000Z").unwrap();
        assert_eq!(read.to_string(), "2026-01-31T08:30:00Z");
        for bad in
            ["", "20260131T083000", "20260131T083000ZZ", "20261331T083000Z", "2026\u{e9}31T08300"]
        {
            assert_eq!(Timestamp::of_compact(bad), None, "{bad}");
        }
    }

    #[test]
    fn spans_are_written_in_the_largest_unit_that_fits() {
        let cases = [(1, "1s"), (90, "90s"), (900, "15m"), (7200, "2h"), (604_800, "7d")];
        for (seconds, text) in cases {
            assert_eq!(span(seconds), text);
        }
    }

    #[test]
    fn a_ttl_keeps_its_bounds() {
        assert!(Ttl::from_seconds(0).is_err());
        assert!(Ttl::from_seconds(86_400).is_ok());
        assert!(Ttl::from_seconds(86_401).is_err());
        assert!(serde_json::from_str::<Ttl>("0").is_err());
    }

    #[test]
    fn times_are_told_from_now() {
        let table = [
            (0, "now"),
            (1, "in 1s"),
            (119, "in 119s"),
            (14 * 60 + 59, "in 14m"),
            (3 * 3_600, "in 3h"),
            (3 * 86_400, "in 3d"),
            (-30, "30s ago"),
            (-200, "3m ago"),
        ];
        for (offset, expected) in table {
            assert_eq!(relative(1_000_000 + offset, 1_000_000), expected);
        }
        assert_eq!(relative(i64::MIN, i64::MAX), "213503982334601d ago");
    }
}
