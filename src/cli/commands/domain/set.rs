//! `git coord domain set`

use crate::app::Ctx;
use crate::app::domains::set::{Request, clear, set};
use crate::app::error::AppError;
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

/// Record the domains of this project on the word of a person or a model
///
/// This word takes precedence over detected domains. Detection never overwrites it, and it does not
/// become stale. Another 'domain set' replaces it, and --clear takes it back.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Domains, the primary one first
    #[arg(value_name = "DOMAIN")]
    pub(crate) domains: Vec<Name>,

    /// Source of the domains: human, or the name of a model
    #[arg(long, value_name = "TEXT")]
    pub(crate) source: Option<Line>,

    /// Reason, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,

    /// Confidence in the domains, above 0 and up to 1
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    pub(crate) confidence: Option<Confidence>,

    /// Take the recorded word back, and return to detected domains
    #[arg(long, conflicts_with_all = ["domains", "source", "confidence"])]
    pub(crate) clear: bool,
}

impl Args {
    pub(super) fn check(&self) -> Result<(), AppError> {
        if self.clear { Ok(()) } else { self.request().check() }
    }

    fn request(&self) -> Request<'_> {
        Request {
            domains: &self.domains,
            source: self.source.as_ref(),
            reason: &self.reason,
            confidence: self.confidence,
        }
    }

    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        if self.clear {
            let answer = clear(ctx, &self.reason)?;
            return show(ui, &answer, |ui| ui.line("taken back; what is detected counts again"));
        }
        let answer = set(ctx, &self.request())?;
        show(ui, &answer, |ui| super::print(ui, &answer.body))
    }
}
