//! Checks ledgers: objects, format, sequence and laws.

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::Ctx;
use crate::app::answer::{Answer, Note, Outcome};
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::core::ledger::LedgerName;
use crate::store::git::object::ObjectId;
use crate::store::ledger::verify::{self, Fault, Report};

/// The answer to `ledger verify`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Body {
    /// The number of entries that were checked.
    pub entries: u64,
    /// The number of these entries that are checkpoints of compactions.
    pub checkpoints: u64,
    pub faults: Vec<FaultView>,
}

/// A fault of a ledger.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Fault")]
pub struct FaultView {
    pub ledger: LedgerName,
    /// The fault in a sentence.
    pub fault: String,
    /// The entry that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<ObjectId>,
    /// The document that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// Checks a ledger, or all of them.
pub fn verify(ctx: &Ctx, ledger: Option<LedgerName>) -> Result<Answer<Body>, Problem> {
    let (mut body, mut notes) = (Body::default(), Vec::new());
    for ledger in LedgerName::ALL.into_iter().filter(|one| ledger.is_none_or(|it| it == *one)) {
        let opened = ctx.ledger(ledger);
        let report = verify::verify(&opened, ctx.clock()).map_err(AppError::from)?;
        notes.extend(remarks(ledger, &report));
        body.entries += report.entries;
        body.checkpoints += report.checkpoints;
        let view = |Fault { entry, key, what }| FaultView {
            ledger,
            fault: what,
            entry,
            path: key.map(|key| key.to_string()),
        };
        body.faults.extend(report.faults.into_iter().map(view));
    }
    let outcome = if body.faults.is_empty() { Outcome::Done } else { Outcome::No };
    Ok(Answer { outcome, ..Answer::read(body, ctx.clock()).noting(notes) })
}

/// Lists what could not be checked.
fn remarks(ledger: LedgerName, report: &Report) -> impl Iterator<Item = Note> {
    let count = report.later_rules;
    let rules = (count > 0)
        .then(|| format!("{count} entries of '{ledger}' follow later rules: decoded only"));
    let shallow = (report.cut_off > 0).then(|| {
        format!("this clone is shallow: entries of '{ledger}' before its end are not here")
    });
    rules.into_iter().chain(shallow).map(Note::plain)
}
