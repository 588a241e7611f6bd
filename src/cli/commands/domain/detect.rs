//! `git coord domain detect`

use serde_json::json;

use super::{From, cache_json, print, which};
use crate::app::Ctx;
use crate::app::domains::detect;
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::term::Ui;

const EXAMPLES: &str = "\
Examples:
  git coord domain detect
  git coord domain detect --force --json";

/// Look at the tree, and record what kind of project it is
///
/// Exits with 1 when no domain of the index fits. Where what is recorded still holds, nothing is
/// written. What 'domain set' has recorded is kept and goes before what is detected.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Look again and record it, even if what is recorded still holds
    #[arg(long)]
    pub(crate) force: bool,

    /// Look at this tree; the work tree, or HEAD where there is none
    #[arg(long, value_name = "TREE")]
    pub(crate) from: Option<From>,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let detection = detect::detect(ctx, which(self.from), self.force)?;
        if let Some(aside) = &detection.set_aside {
            let kept = &aside.kept_at;
            ui.warn(&format!("the cache was damaged and is kept at '{kept}': {}", aside.why))?;
        }
        for notice in &detection.notices {
            ui.warn(notice)?;
        }
        let cache = &detection.cache;
        let has_domain = !cache.domains().is_empty();
        if ui.is_json() {
            let mut answer = cache_json(cache, detection.entry);
            answer.insert("recorded".to_owned(), json!(detection.is_new));
            if let Some(aside) = &detection.set_aside {
                answer.insert("set_aside".to_owned(), json!(aside.kept_at));
            }
            ui.answer(has_domain, answer)?;
        } else {
            print(ui, cache)?;
            if !detection.is_new {
                ui.note("nothing has changed; nothing was recorded")?;
            }
        }
        Ok(if has_domain { ExitCode::Done } else { ExitCode::No })
    }
}
