//! `git coord domain check`

use serde_json::{Map, Value, json};

use super::{From, cache_json, which};
use crate::app::Ctx;
use crate::app::domains::check::{self, Changes, Since, Standing};
use crate::app::problem::Problem;
use crate::cli::exit::ExitCode;
use crate::cli::layout::{Cell, aligned};
use crate::cli::term::Ui;
use crate::core::domain::change::{Change, Weight};
use crate::core::domain::freshness::{Reason, Verdict};
use crate::core::text::shown;
use crate::core::time::relative;

const EXAMPLES: &str = "\
Examples:
  git coord domain check
  git coord domain check --dry-run";

/// Tell whether what is recorded still holds: 0 fresh, 3 stale, 4 none, 1 no domain
///
/// Compares the content of manifests and the presence of other structural files with what the
/// recorded answer rests on. No date counts, no history is walked, and uncommitted changes count.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Explain: every change since then, whether it counts, the verdict and the exit code
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Look at this tree; the work tree, or HEAD where there is none
    #[arg(long, value_name = "TREE")]
    pub(crate) from: Option<From>,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let which = which(self.from);
        let standing = check::check(ctx, which)?;
        if let Some(damaged) = &standing.damaged {
            ui.warn(&format!("the cache is damaged: {}", damaged.why))?;
            ui.note("hint: to set it aside and look again: git coord domain detect")?;
        }
        if standing.is_tired {
            ui.warn(
                "there are more directories here than are looked into; the rest is not compared",
            )?;
        }
        let code = exit_code(&standing.verdict);
        let changes =
            if self.dry_run { Some(check::changes(ctx, which, &standing)?) } else { None };
        if ui.is_json() {
            ui.answer(code == ExitCode::Done, json_fields(&standing, changes.as_ref(), code))?;
            return Ok(code);
        }
        if let Some(changes) = &changes {
            explain(ui, ctx, &standing, changes)?;
        }
        ui.line(&verdict_text(&standing))?;
        for reason in reasons(&standing.verdict) {
            ui.line(&format!("  {}", shown(&reason.to_string())))?;
        }
        if changes.is_some() {
            ui.line(&format!("exit code: {}", code.number()))?;
        }
        Ok(code)
    }
}

fn exit_code(verdict: &Verdict) -> ExitCode {
    match verdict {
        Verdict::Fresh => ExitCode::Done,
        Verdict::NoDomain => ExitCode::No,
        Verdict::Stale(_) => ExitCode::Stale,
        Verdict::None => ExitCode::NothingThere,
    }
}

fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Fresh => "fresh",
        Verdict::NoDomain => "no_domain",
        Verdict::Stale(_) => "stale",
        Verdict::None => "none",
    }
}

fn reasons(verdict: &Verdict) -> &[Reason] {
    if let Verdict::Stale(reasons) = verdict { reasons } else { &[] }
}

fn verdict_text(standing: &Standing) -> String {
    let at = standing.entry.map_or(String::new(), |entry| format!(", entry {}", entry.short()));
    let names: Vec<&str> =
        standing.cache.domains().iter().map(|found| found.name.as_str()).collect();
    match &standing.verdict {
        Verdict::Fresh if standing.cache.classified.is_some() => {
            format!("fresh: {}, as it was set{at}", names.join(", "))
        }
        Verdict::Fresh => format!("fresh: {}{at}", names.join(", ")),
        Verdict::NoDomain => format!("fresh: no domain of the index fits{at}"),
        Verdict::Stale(_) => format!("stale{at}:"),
        Verdict::None => "none: nothing is known of this project yet".to_owned(),
    }
}

fn json_fields(
    standing: &Standing,
    changes: Option<&Changes>,
    code: ExitCode,
) -> Map<String, Value> {
    let mut answer = Map::new();
    answer.insert("verdict".to_owned(), json!(word(&standing.verdict)));
    answer.insert("reasons".to_owned(), json!(reasons(&standing.verdict)));
    answer.extend(cache_json(&standing.cache, standing.entry));
    if let Some(damaged) = &standing.damaged {
        answer.insert("damaged".to_owned(), json!(damaged.why));
    }
    if standing.is_tired {
        answer.insert("cut_short".to_owned(), json!(true));
    }
    if let Some(changes) = changes {
        let row = |(change, weight): &(Change, Weight)| {
            let mut value = json!(change);
            value["structural"] = json!(weight.is_structural);
            value["why"] = json!(weight.why);
            value
        };
        answer.insert("changes".to_owned(), changes.listed.iter().map(row).collect());
        answer.insert("changes_not_listed".to_owned(), json!(changes.more));
        if let Since::Commit(commit) = &changes.since {
            answer.insert("changes_since".to_owned(), json!(commit));
        }
        answer.insert("exit_code".to_owned(), json!(code.number()));
    }
    answer
}

fn explain(ui: &mut Ui, ctx: &Ctx, standing: &Standing, changes: &Changes) -> Result<(), Problem> {
    if let Some(detected) = standing.cache.detected() {
        let at = detected.detected_at;
        let ago = relative(at.as_seconds(), ctx.clock().as_seconds());
        ui.line(&format!("detected {at} ({ago})"))?;
    }
    let short = |commit: &String| commit.chars().take(10).collect::<String>();
    match &changes.since {
        Since::Nothing => {}
        Since::Commit(commit) => ui.line(&format!("changes since commit {}:", short(commit)))?,
        Since::NoCommit => {
            ui.line("there was no commit then, so changes since then cannot be listed")?;
        }
        Since::Gone(commit) => ui.line(&format!(
            "commit {} of then is not there any more, so changes since cannot be listed",
            short(commit)
        ))?,
    }
    let rows: Vec<Vec<Cell>> = changes.listed.iter().map(row).collect();
    for line in aligned(&rows) {
        ui.line(&line)?;
    }
    if changes.more > 0 {
        ui.line(&format!("  and {} more, none of them listed", changes.more))?;
    }
    Ok(())
}

fn row((change, weight): &(Change, Weight)) -> Vec<Cell> {
    let (kind, path) = match change {
        Change::Added { path } => ("added", path.clone()),
        Change::Modified { path } => ("modified", path.clone()),
        Change::Deleted { path } => ("deleted", path.clone()),
        Change::Renamed { from, path } => ("renamed", format!("{from} -> {path}")),
    };
    let structural = if weight.is_structural { "structural: yes" } else { "structural: no" };
    vec![
        Cell::plain(&format!("  {kind}")),
        Cell::plain(&shown(&path)),
        Cell::plain(structural),
        Cell::plain(weight.why),
    ]
}
