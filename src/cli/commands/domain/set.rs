//! `git coord domain set`

use crate::app::Ctx;
use crate::app::domains::set::{Request, clear, set};
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::domain::confidence::Confidence;
use crate::core::domain::name::Name;
use crate::core::text::Line;

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
    /// Checks whether the arguments make sense together.
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
        let Some(source) = &self.source else {
            let answer = clear(ctx, &self.reason)?;
            return show(ui, &answer, |ui| ui.line("taken back; what is detected counts again"));
        };
        let request = Request {
            domains: &self.domains,
            source,
            reason: &self.reason,
            confidence: self.confidence,
        };
        let answer = set(ctx, &request)?;
        show(ui, &answer, |ui| super::print(ui, &answer.body))
    }
}
