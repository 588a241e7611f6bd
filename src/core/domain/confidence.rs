//! The confidence of an answer: a number from 0 to 1 with two decimals, stored as hundredths so
//! that it compares exactly and prints the same everywhere.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A number from 0.00 to 1.00.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "f64", into = "f64")]
pub struct Confidence(u8);

/// A number that is no confidence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a confidence: a number above 0 and up to 1, such as 0.8")]
pub struct BadConfidence(String);

impl Confidence {
    pub const FULL: Confidence = Confidence(100);

    /// Makes a confidence of hundredths, at most 100.
    pub fn from_hundredths(hundredths: u32) -> Confidence {
        Confidence(u8::try_from(hundredths.min(100)).expect("at most 100"))
    }

    pub fn hundredths(self) -> u32 {
        u32::from(self.0)
    }
}

impl TryFrom<f64> for Confidence {
    type Error = BadConfidence;

    fn try_from(number: f64) -> Result<Self, Self::Error> {
        if !(0.0..=1.0).contains(&number) {
            return Err(BadConfidence(number.to_string()));
        }
        let nearest = (0..=100u8).min_by(|one, other| {
            let distance = |hundredths: &u8| (f64::from(*hundredths) / 100.0 - number).abs();
            distance(one).total_cmp(&distance(other))
        });
        Ok(Confidence(nearest.unwrap_or(0)))
    }
}

impl From<Confidence> for f64 {
    fn from(confidence: Confidence) -> f64 {
        f64::from(confidence.0) / 100.0
    }
}

/// Parses a confidence that somebody typed. It must be above 0.
impl FromStr for Confidence {
    type Err = BadConfidence;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || BadConfidence(text.chars().take(40).collect());
        let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let number: f64 = if is_plain { text.parse().map_err(|_| bad())? } else { f64::NAN };
        let confidence = Confidence::try_from(number).map_err(|_| bad())?;
        if confidence.0 == 0 { Err(bad()) } else { Ok(confidence) }
    }
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 7/NUMBERS
    #[test]
    fn numbers_outside_are_refused() {
        for bad in ["", "0", "0.0", "0.001", "-0.5", "1.01", "2", "NaN", "inf", "1e-1", "abc"] {
            assert!(bad.parse::<Confidence>().is_err(), "{bad}");
        }
        assert_eq!("0.8".parse::<Confidence>().unwrap().to_string(), "0.80");
        assert_eq!("1".parse(), Ok(Confidence::FULL));
    }

    #[test]
    fn every_confidence_is_read_back_equal() {
        for hundredths in 0..=100 {
            let confidence = Confidence::from_hundredths(hundredths);
            let text = serde_json::to_string(&confidence).unwrap();
            assert_eq!(serde_json::from_str::<Confidence>(&text).unwrap(), confidence, "{text}");
        }
    }
}
