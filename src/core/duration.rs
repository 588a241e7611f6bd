//! Durations as people write them: `90s`, `15m`, `2h`, `7d`.
//!
//! The command line and the configuration share this parser. It refuses a number without a unit,
//! because half of its readers take it for minutes.

use std::time::Duration;

use crate::core::time::Ttl;

/// Longer spans are slips of the finger, and would overflow when added to a clock reading.
pub const DURATION_MAX: Duration = Duration::from_secs(36_500 * 24 * 60 * 60);

const UNITS: [(char, u64); 4] = [('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

/// The reason why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DurationError {
    /// Not a whole number followed by a unit.
    #[error("expected a whole number and a unit, such as 90s, 15m, 2h or 7d")]
    Unparsable,
    /// `0s` and its like.
    #[error("must be longer than zero")]
    Zero,
    /// Beyond [`DURATION_MAX`].
    #[error("must be at most 36500d")]
    TooLong,
    /// Outside the bounds of a reservation's life.
    #[error("must be from 1s to 24h")]
    OutsideTtl,
}

/// Parses a duration of at least one second.
pub fn parse_duration(text: &str) -> Result<Duration, DurationError> {
    let unit = text.chars().next_back().ok_or(DurationError::Unparsable)?;
    let (_, seconds_each) =
        UNITS.into_iter().find(|(letter, _)| *letter == unit).ok_or(DurationError::Unparsable)?;
    let digits = &text[..text.len() - unit.len_utf8()];
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(DurationError::Unparsable);
    }
    // Only digits are left, so the one thing that can go wrong is their number.
    let count: u64 = digits.parse().map_err(|_| DurationError::TooLong)?;
    let seconds = count.checked_mul(seconds_each).ok_or(DurationError::TooLong)?;
    match Duration::from_secs(seconds) {
        Duration::ZERO => Err(DurationError::Zero),
        longer if longer > DURATION_MAX => Err(DurationError::TooLong),
        duration => Ok(duration),
    }
}

/// Parses the life time of a reservation.
pub fn parse_ttl(text: &str) -> Result<Ttl, DurationError> {
    match parse_duration(text) {
        Ok(length) => Ttl::from_seconds(length.as_secs()).map_err(|_| DurationError::OutsideTtl),
        Err(DurationError::Zero | DurationError::TooLong) => Err(DurationError::OutsideTtl),
        Err(other) => Err(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(text: &str) -> Result<u64, DurationError> {
        parse_duration(text).map(|duration| duration.as_secs())
    }

    #[test]
    fn units_are_seconds_minutes_hours_and_days() {
        assert_eq!(seconds("90s"), Ok(90));
        assert_eq!(seconds("15m"), Ok(900));
        assert_eq!(seconds("2h"), Ok(7_200));
        assert_eq!(seconds("7d"), Ok(604_800));
        assert_eq!(seconds("007s"), Ok(7));
    }

    /// 7/NUMBERS: zero, negative, overflowing and unparsable numbers are errors, never defaults.
    #[test]
    fn what_is_no_duration_is_an_error() {
        use DurationError::{TooLong, Unparsable, Zero};
        let unparsable =
            ["", "s", "15", "-1s", "+1s", "1.5h", "1e99", "1e99s", "abc", "15M", "1 s", "٣s", "1µ"];
        for text in unparsable {
            assert_eq!(seconds(text), Err(Unparsable), "{text}");
        }
        for text in ["0s", "0d", "000m"] {
            assert_eq!(seconds(text), Err(Zero), "{text}");
        }
        for text in ["36501d", "18446744073709551615d", "99999999999999999999s"] {
            assert_eq!(seconds(text), Err(TooLong), "{text}");
        }
    }

    #[test]
    fn a_ttl_is_bounded() {
        assert_eq!(parse_ttl("1s"), Ok(crate::core::limits::TTL_MIN));
        assert_eq!(parse_ttl("24h"), Ok(crate::core::limits::TTL_MAX));
        assert_eq!(parse_ttl("1d"), Ok(crate::core::limits::TTL_MAX));
        for text in ["0s", "25h", "86401s", "99999999999999999999s"] {
            assert_eq!(parse_ttl(text), Err(DurationError::OutsideTtl), "{text}");
        }
        assert_eq!(parse_ttl("1e99"), Err(DurationError::Unparsable));
    }
}
