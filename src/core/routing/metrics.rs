//! The metrics of a session, the baseline that a trial is compared with, and its verdict.
//!
//! In a session, the override rate is the share of findings that were overridden, the
//! false-positive rate is the share of overridden findings that were wrong, and the density is
//! findings per use. All evidence of the session counts, about any agent: the metrics must still
//! exist once the agent is left out. An overridden finding counts as a finding even if no use
//! counted it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::routing::evidence::Evidence;
use crate::core::routing::names::RoutedName;
use crate::core::routing::ratio::Ratio;
use crate::core::routing::thresholds::{self, Thresholds};

/// The three metrics of a session or of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Metrics {
    /// The share of findings that were overridden.
    pub override_rate: Ratio,
    /// The share of overridden findings that were wrong.
    pub fp_rate: Ratio,
    /// Findings per use.
    pub density: Ratio,
}

impl Metrics {
    /// Computes the metrics of one session.
    pub fn of_session<'e>(rows: impl IntoIterator<Item = &'e Evidence>) -> Metrics {
        let (mut overridden, mut wrong, mut uses, mut reported) = (0, 0, 0, 0);
        for row in rows {
            overridden += u64::from(row.is_overridden());
            wrong += u64::from(row.is_wrong());
            uses += u64::from(row.is_use());
            reported += row.findings.map_or(0, u64::from);
        }
        let findings = reported.max(overridden);
        Metrics {
            override_rate: Ratio::of(overridden, findings),
            fp_rate: Ratio::of(wrong, overridden),
            // A session without counted uses used the agents once.
            density: Ratio::of(findings, uses.max(1)),
        }
    }

    /// Computes the mean of several metrics.
    pub fn mean(all: &[Metrics]) -> Metrics {
        let mean = |of: fn(&Metrics) -> Ratio| Ratio::mean(all.iter().map(of));
        Metrics {
            override_rate: mean(|metrics| metrics.override_rate),
            fp_rate: mean(|metrics| metrics.fp_rate),
            density: mean(|metrics| metrics.density),
        }
    }
}

/// The metrics before a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Baseline {
    /// The number of sessions.
    pub sessions: u64,
    /// The mean over these sessions.
    #[serde(flatten)]
    pub metrics: Metrics,
}

/// Computes the baseline of an agent from the last sessions with evidence about it. Returns `None`
/// if they are too few.
pub fn baseline(
    rows: &[Evidence],
    agent: &RoutedName,
    thresholds: &Thresholds,
) -> Option<Baseline> {
    let mut sessions: BTreeMap<&str, Vec<&Evidence>> = BTreeMap::new();
    for row in rows {
        sessions.entry(row.session.as_str()).or_default().push(row);
    }
    let mut with_agent: Vec<_> = sessions
        .into_iter()
        .filter(|(_, rows)| rows.iter().any(|row| row.source == *agent))
        .map(|(name, rows)| (rows.iter().map(|row| row.at).max(), name, rows))
        .collect();
    with_agent.sort_by(|one, other| (other.0, other.1).cmp(&(one.0, one.1)));
    let most = usize::try_from(thresholds.number(thresholds::CANARY_USES)).unwrap_or(usize::MAX);
    with_agent.truncate(most);
    let found = with_agent.len() as u64;
    // If the window is shorter than the baseline needs, a full window is enough.
    let needed = thresholds.number(thresholds::MIN_BASELINE).min(most as u64);
    if found < needed {
        return None;
    }
    let each: Vec<Metrics> =
        with_agent.into_iter().map(|(_, _, rows)| Metrics::of_session(rows)).collect();
    Some(Baseline { sessions: found, metrics: Metrics::mean(&each) })
}

/// Lists the names of the metrics that got worse: a rate that went up or a density that went down,
/// by more than the allowed percentage and by at least the noise floor.
pub fn worse(before: &Metrics, after: &Metrics, numbers: &Thresholds) -> Vec<&'static str> {
    let percent = numbers.number(thresholds::ALERT_PERCENT);
    let floor = numbers.ratio(thresholds::NOISE_FLOOR);
    let is_worse = |by: Ratio, of: Ratio| {
        by > Ratio::ZERO && by >= floor && by.parts() * 100 > of.parts() * percent
    };
    let up = |before: Ratio, after: Ratio| is_worse(after.less(before), before);
    let down = |before: Ratio, after: Ratio| is_worse(before.less(after), before);
    [
        ("override_rate", up(before.override_rate, after.override_rate)),
        ("fp_rate", up(before.fp_rate, after.fp_rate)),
        ("density", down(before.density, after.density)),
    ]
    .into_iter()
    .filter_map(|(name, is)| is.then_some(name))
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metrics(numbers: [&str; 3]) -> Metrics {
        let [override_rate, fp_rate, density] = numbers.map(|text| text.parse().unwrap());
        Metrics { override_rate, fp_rate, density }
    }

    /// The verdict in a table: worse by more than 20 % and by at least 0.1.
    #[test]
    fn worse_is_more_than_noise_and_more_than_the_percentage() {
        let before = metrics(["0.5", "0.4", "3"]);
        let table: [([&str; 3], &[&str]); 9] = [
            (["0.5", "0.4", "3"], &[]),
            (["0.6", "0.4", "3"], &[]),
            (["0.6001", "0.4", "3"], &["override_rate"]),
            (["0.5", "0.49", "3"], &[]),
            (["0.5", "0.5", "3"], &["fp_rate"]),
            (["0.1", "0.1", "9"], &[]),
            (["0.5", "0.4", "2.4"], &[]),
            (["0.5", "0.4", "2.3"], &["density"]),
            (["1", "1", "0"], &["override_rate", "fp_rate", "density"]),
        ];
        for (after, expected) in table {
            let found = worse(&before, &metrics(after), &Thresholds::default());
            assert_eq!(found, expected, "{after:?}");
        }
        let nothing = metrics(["0", "0", "0"]);
        let some = worse(&nothing, &metrics(["0.1", "0.09", "0"]), &Thresholds::default());
        assert_eq!(some, ["override_rate"], "from nothing, anything above the floor is worse");
    }
}
