//! Shows the thresholds of decisions, or sets one.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::{Kind, Problem};
use crate::app::{Ctx, WriteMode};
use crate::core::ledger::LedgerName;
use crate::core::routing::thresholds::{ALL, AUTONOMY, SetThreshold, Setting, Thresholds};

/// The answer to `override thresholds`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ThresholdList")]
pub struct Body {
    /// The thresholds by name, and the switch `autonomy`.
    pub thresholds: Map<String, Value>,
    /// A row for each of them, for people.
    #[serde(skip)]
    pub rows: Vec<Row>,
}

/// A threshold, for people.
#[derive(Debug)]
pub struct Row {
    pub name: &'static str,
    pub value: String,
    /// True if somebody has set it.
    pub is_set: bool,
    /// The values that it can have.
    pub bounds: String,
    pub meaning: &'static str,
}

/// Shows all thresholds.
pub fn show(ctx: &Ctx) -> Result<Answer<Body>, Problem> {
    let reading = ctx.read_ledger(LedgerName::Overrides)?;
    let set = Thresholds::read(&reading.base.snapshot).map_err(AppError::from)?;
    Ok(Answer::read(Body::from(set), reading.now))
}

/// Sets one threshold, and shows all.
pub fn set(ctx: &Ctx, key: &str, value: &str) -> Result<Answer<Body>, Problem> {
    let command = SetThreshold::parse(key, value)
        .map_err(|error| Problem::new(Kind::Usage, error.to_string()))?;
    let committed = ctx.transact(LedgerName::Overrides, command, WriteMode::Plain)?;
    Ok(Answer::committed(committed, Body::from))
}

impl From<Thresholds> for Body {
    fn from(set: Thresholds) -> Body {
        let mut values = Map::new();
        let mut rows = Vec::new();
        for threshold in ALL {
            rows.push(Row {
                name: threshold.name,
                value: Setting::Number(set.ratio(threshold)).to_string(),
                is_set: set.is_set(threshold.name),
                bounds: format!("{} to {}", threshold.least, threshold.most),
                meaning: threshold.meaning,
            });
            let number = if threshold.is_whole {
                json!(set.number(threshold))
            } else {
                json!(set.ratio(threshold))
            };
            values.insert(threshold.name.to_owned(), number);
        }
        values.insert(AUTONOMY.to_owned(), json!(set.autonomy()));
        rows.push(Row {
            name: AUTONOMY,
            value: set.autonomy().to_string(),
            is_set: set.is_set(AUTONOMY),
            bounds: "true or false".to_owned(),
            meaning: "whether programs may leave agents out by themselves",
        });
        Body { thresholds: values, rows }
    }
}
