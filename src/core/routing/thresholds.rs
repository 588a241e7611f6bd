//! The numbers that decisions about routing depend on, and `override thresholds`, which changes
//! them.
//!
//! A number from a ledger is read with care, because somebody may have written it by hand or with
//! another tool: one outside of its bounds is clamped, and a value that is no number reads as the
//! default. A value that somebody types is refused instead.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::core::decision::{Act, Decide, Env, No};
use crate::core::documents::{Documents, ReadError, read};
use crate::core::routing::events::EventBuilder;
use crate::core::routing::index;
use crate::core::routing::ratio::Ratio;

/// A number that decisions depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Threshold {
    pub name: &'static str,
    pub least: u32,
    pub most: u32,
    /// The default, in ten-thousandths.
    default_parts: u32,
    /// The description for users.
    pub meaning: &'static str,
    /// Set if it has no decimals.
    pub is_whole: bool,
}

const fn whole(
    name: &'static str,
    least: u32,
    most: u32,
    default: u32,
    meaning: &'static str,
) -> Threshold {
    Threshold { name, least, most, default_parts: default * 10_000, meaning, is_whole: true }
}

pub const MIN_SESSIONS: Threshold =
    whole("min_sessions", 1, 1_000, 3, "sessions that make a pattern ready");
pub const MIN_PROJECTS: Threshold =
    whole("min_projects", 1, 1_000, 2, "projects that make a pattern ready");
pub const MIN_EVENTS: Threshold =
    whole("min_events", 1, 1_000, 5, "events that make a pattern ready");
pub const WRONG_PERCENT: Threshold = whole(
    "wrong_percent",
    1,
    100,
    80,
    "percent of overrides for being wrong from which an agent may be left out",
);
pub const CANARY_USES: Threshold =
    whole("canary_uses", 1, 1_000, 20, "samples that end a trial; also the sessions of a baseline");
pub const CANARY_DAYS: Threshold = whole("canary_days", 1, 365, 14, "days that end a trial");
pub const MIN_BASELINE: Threshold =
    whole("min_baseline", 1, 1_000, 15, "sessions without which there is no baseline");
pub const ALERT_PERCENT: Threshold =
    whole("alert_percent", 1, 100, 20, "percent by which a metric may get worse");
pub const NOISE_FLOOR: Threshold = Threshold {
    name: "noise_floor",
    least: 0,
    most: 10,
    default_parts: 1_000,
    meaning: "difference below which a worse metric is noise",
    is_whole: false,
};
pub const BREAKER_REVERTS: Threshold =
    whole("breaker_reverts", 1, 100, 3, "reverts that trip the breaker of an agent");
pub const BREAKER_DAYS: Threshold =
    whole("breaker_days", 1, 365, 30, "days in which those reverts count");
pub const RATE_CHANGES: Threshold =
    whole("rate_changes", 1, 50, 5, "changes that programs may make by themselves");
pub const RATE_HOURS: Threshold =
    whole("rate_hours", 1, 168, 24, "hours in which those changes count");
pub const QUARANTINE_HOURS: Threshold =
    whole("quarantine_hours", 0, 8_760, 48, "hours before evidence counts; 0 is at once");
pub const EVIDENCE_DAYS: Threshold =
    whole("evidence_days", 1, 365, 90, "days for which evidence counts");

/// The name of the only switch among the numbers.
pub const AUTONOMY: &str = "autonomy";

/// All thresholds, in the order in which they are shown.
pub const ALL: [Threshold; 15] = [
    MIN_SESSIONS,
    MIN_PROJECTS,
    MIN_EVENTS,
    WRONG_PERCENT,
    CANARY_USES,
    CANARY_DAYS,
    MIN_BASELINE,
    ALERT_PERCENT,
    NOISE_FLOOR,
    BREAKER_REVERTS,
    BREAKER_DAYS,
    RATE_CHANGES,
    RATE_HOURS,
    QUARANTINE_HOURS,
    EVIDENCE_DAYS,
];

impl Threshold {
    /// Returns the default.
    pub fn default(self) -> Ratio {
        Ratio::of(u64::from(self.default_parts), 10_000)
    }

    fn bounded(self, number: f64) -> Option<Ratio> {
        let bounded = number.clamp(f64::from(self.least), f64::from(self.most));
        let number = if self.is_whole { bounded.floor() } else { bounded };
        Ratio::try_from(number).ok()
    }
}

/// The thresholds in effect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thresholds {
    set: Map<String, Value>,
}

impl Thresholds {
    /// Reads the thresholds of a state.
    pub fn read(documents: &dyn Documents) -> Result<Thresholds, ReadError> {
        let set = read(documents, &index::thresholds_key())?.unwrap_or_default();
        Ok(Thresholds { set })
    }

    /// Returns the number that is set, clamped to its bounds, or the default.
    pub fn ratio(&self, threshold: Threshold) -> Ratio {
        let set = self.set.get(threshold.name).and_then(Value::as_f64);
        set.and_then(|number| threshold.bounded(number)).unwrap_or_else(|| threshold.default())
    }

    /// Returns the whole number that is set, clamped to its bounds, or the default.
    pub fn number(&self, threshold: Threshold) -> u64 {
        self.ratio(threshold).floor()
    }

    /// Tells whether programs may act by themselves.
    pub fn autonomy(&self) -> bool {
        self.set.get(AUTONOMY) == Some(&Value::Bool(true))
    }

    /// Returns the settings with autonomy off.
    pub fn without_autonomy(&self) -> Map<String, Value> {
        let mut set = self.set.clone();
        set.insert(AUTONOMY.to_owned(), json!(false));
        set
    }

    pub fn is_set(&self, name: &str) -> bool {
        self.set.contains_key(name)
    }
}

/// A number or the switch, as somebody typed it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Setting {
    Switch(bool),
    Number(Ratio),
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Switch(on) => on.fmt(f),
            Setting::Number(number) if number.parts().is_multiple_of(10_000) => {
                number.floor().fmt(f)
            }
            Setting::Number(number) => number.fmt(f),
        }
    }
}

/// The reason why a threshold was not set.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSetting {
    /// There is no such threshold.
    #[error("no threshold '{}'; there is: {}", crate::core::text::shown(.0), every_name())]
    Name(String),
    /// The value is no number within the bounds.
    #[error("'{}' does not fit: {} is a {} from {} to {}", crate::core::text::shown(value),
        threshold.name, if threshold.is_whole { "whole number" } else { "number" },
        threshold.least, threshold.most)]
    Number {
        threshold: Threshold,
        /// The text that was typed.
        value: String,
    },
    /// The value is neither true nor false.
    #[error("'{}' does not fit: autonomy is true or false", crate::core::text::shown(.0))]
    Switch(String),
}

fn every_name() -> String {
    ALL.map(|threshold| threshold.name).into_iter().chain([AUTONOMY]).collect::<Vec<_>>().join(", ")
}

/// `override thresholds <key> <value>`
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetThreshold {
    name: String,
    value: Setting,
}

impl SetThreshold {
    /// Parses a name and a value that somebody typed.
    pub fn parse(name: &str, value: &str) -> Result<SetThreshold, BadSetting> {
        let own = name.to_owned();
        if name == AUTONOMY {
            let on = bool::from_str(value).map_err(|_| BadSetting::Switch(value.to_owned()))?;
            return Ok(SetThreshold { name: own, value: Setting::Switch(on) });
        }
        let threshold = ALL.into_iter().find(|threshold| threshold.name == name);
        let threshold = threshold.ok_or_else(|| BadSetting::Name(own.clone()))?;
        let bad = || BadSetting::Number { threshold, value: value.to_owned() };
        let number: Ratio = value.parse().map_err(|_| bad())?;
        let is_bounded =
            (Ratio::whole(threshold.least)..=Ratio::whole(threshold.most)).contains(&number);
        let is_whole = number.parts().is_multiple_of(10_000);
        if !is_bounded || (threshold.is_whole && !is_whole) {
            return Err(bad());
        }
        Ok(SetThreshold { name: own, value: Setting::Number(number) })
    }
}

impl Decide for SetThreshold {
    type Answer = Thresholds;

    fn decide(&self, act: &mut Act<'_>) -> Result<Thresholds, No> {
        let mut thresholds = Thresholds::read(act)?;
        let value = match &self.value {
            Setting::Number(number) if number.parts().is_multiple_of(10_000) => {
                json!(number.floor())
            }
            other => json!(other),
        };
        if thresholds.set.get(&self.name) != Some(&value) {
            thresholds.set.insert(self.name.clone(), value);
            EventBuilder::new("threshold_set", &self.name)
                .put_thresholds(act, &thresholds.set)
                .record(act);
        }
        Ok(thresholds)
    }

    fn summary(&self, _: &Thresholds, env: &Env<'_>) -> String {
        format!("set threshold {} to {} by {}", self.name, self.value, env.actor)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::core::documents::{Key, encode};

    fn read_of(set: &Value) -> Thresholds {
        let documents: BTreeMap<Key, Vec<u8>> =
            BTreeMap::from([(index::thresholds_key(), encode(set))]);
        Thresholds::read(&documents).unwrap()
    }

    #[test]
    fn the_default_numbers_are_within_their_bounds() {
        let default = Thresholds::default();
        for threshold in ALL {
            let number = default.ratio(threshold);
            assert!(number >= Ratio::whole(threshold.least), "{threshold:?}");
            assert!(number <= Ratio::whole(threshold.most), "{threshold:?}");
        }
        let numbers =
            [MIN_SESSIONS, MIN_PROJECTS, MIN_EVENTS, WRONG_PERCENT].map(|t| default.number(t));
        assert_eq!(numbers, [3, 2, 5, 80]);
        assert_eq!(default.ratio(NOISE_FLOOR).to_string(), "0.10");
        assert!(!default.autonomy());
    }

    #[test]
    fn what_is_no_number_is_the_default() {
        let odd =
            read_of(&json!({ "canary_days": "many", "canary_uses": null, "autonomy": "yes" }));
        assert_eq!((odd.number(CANARY_DAYS), odd.number(CANARY_USES)), (14, 20));
        assert!(!odd.autonomy());
    }

    /// 7/NUMBERS: what is typed is refused, not guessed at.
    #[test]
    fn what_does_not_fit_is_refused() {
        for bad in ["abc", "0", "-1", "366", "1e9", "1.5", "99999999999999999999", ""] {
            let fault = SetThreshold::parse("canary_days", bad).unwrap_err();
            assert!(fault.to_string().contains("from 1 to 365"), "{fault}");
        }
        assert!(SetThreshold::parse("noise_floor", "0").is_ok());
        assert!(SetThreshold::parse("noise_floor", "0.25").is_ok());
        assert!(SetThreshold::parse("autonomy", "maybe").is_err());
        assert!(SetThreshold::parse("no_such", "1").is_err());
    }

    proptest! {
        /// Clamps: whatever a ledger says, a number is within its bounds.
        #[test]
        fn every_number_is_clamped(number in any::<f64>(), place in 0..ALL.len()) {
            let threshold = ALL[place];
            let found = read_of(&json!({ threshold.name: number })).ratio(threshold);
            prop_assert!(found >= Ratio::whole(threshold.least));
            prop_assert!(found <= Ratio::whole(threshold.most));
        }
    }
}
