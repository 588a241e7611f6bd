//! Numbers with four decimals, exact: comparisons and sums must not depend on rounding.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number of parts that make one.
const PARTS: u32 = 10_000;
/// The largest number; a larger rate is a typing mistake.
const WHOLE_MAX: u32 = 100_000;

/// A number from 0 to 100,000 with four decimals.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(try_from = "f64", into = "f64")]
pub struct Ratio(u32);

/// Text or a number that is no [`Ratio`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a number from 0 to {WHOLE_MAX} such as 0.25")]
pub struct NotARatio(String);

/// Text that is no number from 0 to 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a rate: a number from 0 to 1 such as 0.25")]
pub struct NotARate(String);

impl Ratio {
    pub const ZERO: Ratio = Ratio(0);
    pub const ONE: Ratio = Ratio(PARTS);

    /// Parses a rate that somebody typed: at most one.
    pub fn rate(text: &str) -> Result<Ratio, NotARate> {
        let number = text.parse().ok().filter(|number| *number <= Ratio::ONE);
        number.ok_or_else(|| NotARate(text.to_owned()))
    }

    /// Makes a ratio of a whole number, at most the largest.
    pub fn whole(number: u32) -> Ratio {
        Ratio(number.min(WHOLE_MAX) * PARTS)
    }

    /// Divides, and rounds to four decimals. A share of nothing is zero.
    pub fn of(part: u64, whole: u64) -> Ratio {
        Ratio::rounded(part, whole, 1)
    }

    /// Divides, and rounds to two decimals. A share of nothing is zero.
    pub fn to_hundredths(part: u64, whole: u64) -> Ratio {
        Ratio::rounded(part, whole, 100)
    }

    fn rounded(part: u64, whole: u64, step: u64) -> Ratio {
        if whole == 0 {
            return Ratio::ZERO;
        }
        let steps = u128::from(PARTS) / u128::from(step);
        let count = (u128::from(part) * steps * 2 + u128::from(whole)) / (u128::from(whole) * 2);
        let parts = count.saturating_mul(u128::from(step));
        Ratio(u32::try_from(parts).unwrap_or(u32::MAX).min(WHOLE_MAX * PARTS))
    }

    /// Returns the number in ten-thousandths.
    pub fn parts(self) -> u64 {
        u64::from(self.0)
    }

    /// Rounds down to a whole number.
    pub fn floor(self) -> u64 {
        u64::from(self.0 / PARTS)
    }

    /// Subtracts another number, down to zero.
    #[must_use]
    pub fn less(self, other: Ratio) -> Ratio {
        Ratio(self.0.saturating_sub(other.0))
    }

    /// Computes the mean, rounded. The mean of nothing is zero.
    pub fn mean(numbers: impl IntoIterator<Item = Ratio>) -> Ratio {
        let (sum, count) = numbers
            .into_iter()
            .fold((0_u64, 0_u64), |(sum, count), number| (sum + number.parts(), count + 1));
        Ratio::of(sum, count.saturating_mul(u64::from(PARTS)))
    }
}

impl From<Ratio> for f64 {
    fn from(ratio: Ratio) -> f64 {
        f64::from(ratio.0) / f64::from(PARTS)
    }
}

impl TryFrom<f64> for Ratio {
    type Error = NotARatio;

    fn try_from(number: f64) -> Result<Self, Self::Error> {
        if !(0.0..=f64::from(WHOLE_MAX)).contains(&number) {
            return Err(NotARatio(number.to_string()));
        }
        // The formatter rounds, and its output without the point is a whole number of parts.
        let parts = format!("{number:.4}").replace('.', "");
        parts.parse().map(Ratio).map_err(|_| NotARatio(number.to_string()))
    }
}

impl FromStr for Ratio {
    type Err = NotARatio;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Refuses signs, exponents and words such as 'inf'.
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let number: Option<f64> = text.parse().ok().filter(|_| is_plain);
        number.ok_or_else(|| NotARatio(text.to_owned()))?.try_into()
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(2);
        write!(f, "{:.digits$}", f64::from(*self))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn of_rounds_and_nothing_of_nothing_is_nothing() {
        assert_eq!(Ratio::of(1, 3).parts(), 3_333);
        assert_eq!(Ratio::of(2, 3).parts(), 6_667);
        assert_eq!(Ratio::to_hundredths(2, 3).parts(), 6_700);
        assert_eq!(Ratio::of(5, 0), Ratio::ZERO);
        assert_eq!(Ratio::mean([Ratio::ONE, Ratio::ZERO, Ratio::ZERO]).parts(), 3_333);
        assert_eq!(Ratio::mean([]), Ratio::ZERO);
    }

    /// 7/NUMBERS
    #[test]
    fn what_is_no_number_is_said() {
        for bad in
            ["", ".", "-1", "+1", "1e3", "inf", "NaN", "0x1", "1,5", "100001", "abc", "1.2.3"]
        {
            assert!(bad.parse::<Ratio>().is_err(), "{bad}");
        }
        assert_eq!("0.25".parse::<Ratio>().unwrap().to_string(), "0.25");
        assert_eq!("1".parse(), Ok(Ratio::ONE));
    }

    proptest! {
        #[test]
        fn json_gives_back_what_it_was_given(parts in 0..=WHOLE_MAX * PARTS) {
            let ratio = Ratio(parts);
            let text = serde_json::to_string(&ratio).unwrap();
            prop_assert_eq!(serde_json::from_str::<Ratio>(&text).unwrap(), ratio);
        }
    }
}
