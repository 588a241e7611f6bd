//! `git coord domain set`

use serde_json::json;

use crate::app::Ctx;
use crate::app::domains::{self, catalogue};
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::open::told;
use crate::cli::term::Ui;
use crate::core::domain::cache::{Cache, Classified};
use crate::core::domain::classify::{Classify, Declassify};
use crate::core::domain::confidence::Confidence;
use crate::core::domain::name::Name;
use crate::core::text::Line;
use crate::store::worktree::sources::Which;

const EXAMPLES: &str = "\
Examples:
  git coord domain set web-api --source human --reason 'the rest is tooling'
  git coord domain set ml-pipeline web-api --source a-model --reason both --confidence 0.8
  git coord domain set --clear --reason 'split into two repositories'";

/// Record what somebody else says that this project is
///
/// A person's word, or a model's, goes before what is detected. Detection never overwrites it, and
/// it does not become stale; 'domain set' again replaces it, and --clear takes it back.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The domains, the primary one first
    #[arg(value_name = "DOMAIN")]
    pub(crate) domains: Vec<Name>,

    /// Where that comes from: a person, the name of a model
    #[arg(long, value_name = "TEXT")]
    pub(crate) source: Option<Line>,

    /// Why, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,

    /// How sure that is, above 0 and up to 1
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) confidence: Option<Confidence>,

    /// Take back what was recorded, and go by what is detected
    #[arg(long, conflicts_with_all = ["domains", "source", "confidence"])]
    pub(crate) clear: bool,
}

impl Args {
    /// Whether the arguments make sense together.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        if self.clear {
            return Ok(());
        }
        match (self.domains.is_empty(), &self.source) {
            (true, _) => Err("name the domains, or take back what was recorded with --clear"),
            (false, None) => Err("say where it comes from: --source human, or a model's name"),
            (false, Some(_)) => Ok(()),
        }
    }

    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let reason = self.reason.clone();
        let Some(source) = self.source.clone() else {
            told(ui, domains::declassify(ctx, Declassify { reason })?)?;
            if ui.is_json() {
                ui.answer(true, fields([("cleared", json!(true))]))?;
            } else {
                ui.line("taken back; what is detected counts again")?;
            }
            return Ok(ExitCode::Done);
        };
        let catalogue = catalogue::catalogue(ctx, Which::Usual)?;
        for name in &self.domains {
            if catalogue.domains().iter().all(|domain| domain.name != *name) {
                ui.warn(&format!("no domain '{name}' in the index; it is recorded all the same"))?;
            }
        }
        let confidence = self.confidence.unwrap_or(Confidence::FULL);
        let command = Classify { domains: self.domains.clone(), source, reason, confidence };
        let committed = domains::classify(ctx, command)?;
        let entry = committed.entry;
        let classified: Classified = told(ui, committed)?;
        let cache = Cache { classified: Some(classified), ..Cache::default() };
        if ui.is_json() {
            let mut answer = super::cache_json(&cache, entry);
            answer.remove("detected");
            ui.answer(true, answer)?;
        } else {
            super::print(ui, &cache)?;
        }
        Ok(ExitCode::Done)
    }
}
