//! `git coord run budget`

use serde_json::json;

use crate::app::problem::Problem;
use crate::app::{Ctx, runs};
use crate::cli::exit::ExitCode;
use crate::cli::runs::answer;
use crate::cli::term::Ui;
use crate::core::run::budget::Spending;
use crate::core::run::names::IdPrefix;

/// Show what a run may spend and has spent
///
/// Exits with 1 whenever more was spent than there is.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let run = runs::find(&runs::read(ctx)?, &self.run)?;
        let used = run.spent.counted();
        let spending = run.budget.map(|budget| (budget, budget.spending(run.spent)));
        let is_exceeded = matches!(spending, Some((_, Spending::Exceeded)));
        if ui.is_json() {
            let mut fields = answer(&run, [("used", json!(used)), ("tokens", json!(run.spent))]);
            if let Some((budget, spending)) = spending {
                fields.insert("budget".to_owned(), json!(budget.tokens));
                fields.insert("left".to_owned(), json!(budget.tokens.saturating_sub(used)));
                fields.insert("spending".to_owned(), json!(spending));
            }
            if is_exceeded {
                let message = format!("run '{}' has spent more than its budget", run.id);
                let refusal = json!({ "code": "budget_exceeded", "message": message, "next": [] });
                fields.insert("refusal".to_owned(), refusal);
            }
            ui.answer(!is_exceeded, fields)?;
        } else {
            ui.line(&match spending {
                None => format!("{used} tokens spent, no budget"),
                Some((budget, Spending::Within)) => {
                    format!("{used} of {} tokens spent", budget.tokens)
                }
                Some((budget, Spending::Near)) => {
                    format!("{used} of {} tokens spent: nearly all", budget.tokens)
                }
                Some((budget, Spending::Exceeded)) => {
                    format!("{used} of {} tokens spent: exceeded", budget.tokens)
                }
            })?;
        }
        Ok(if is_exceeded { ExitCode::No } else { ExitCode::Done })
    }
}
