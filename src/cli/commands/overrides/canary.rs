//! `git coord override canary sample` and `check`

use clap::Subcommand;

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::canary::{CheckedView, SampleRequest, check, sample};
use crate::app::routing::view::TrialView;
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::routing::canary::Canary;
use crate::core::routing::metrics::Metrics;
use crate::core::routing::ratio::Ratio;
use crate::core::routing::text::Note;
use crate::core::time::{Timestamp, relative};

/// Measure and judge the trials of overrides
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Sample(SampleArgs),
    Check(CheckArgs),
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        match &self.command {
            Command::Sample(args) => args.run(ui, ctx),
            Command::Check(args) => args.run(ui, ctx),
        }
    }
}

const SAMPLE_EXAMPLES: &str = "\
Examples:
  git coord override canary sample fd-style --session s9
  git coord override canary sample a --session s --override-rate 0.2 --fp-rate 0.1 --density 3";

/// Record the measurements of one session of a trial
///
/// A session has one sample; a second one of the same session changes nothing. Without the three
/// numbers, computes them from the session's evidence. The last sample brings the verdict.
#[derive(Debug, clap::Args)]
#[command(after_long_help = SAMPLE_EXAMPLES)]
struct SampleArgs {
    /// Agent on trial
    #[arg(value_name = "AGENT")]
    agent: String,

    /// Name of the session
    #[arg(long, value_name = "SESSION")]
    session: Note,

    /// Share of the findings that were overridden
    #[arg(
        long,
        value_name = "NUMBER",
        requires_all = ["fp_rate", "density"],
        allow_hyphen_values = true,
        value_parser = Ratio::rate
    )]
    override_rate: Option<Ratio>,

    /// Share of the overridden findings that were wrong
    #[arg(
        long,
        value_name = "NUMBER",
        requires_all = ["override_rate", "density"],
        allow_hyphen_values = true,
        value_parser = Ratio::rate
    )]
    fp_rate: Option<Ratio>,

    /// Findings per use of the agent
    #[arg(
        long,
        value_name = "NUMBER",
        requires_all = ["override_rate", "fp_rate"],
        allow_hyphen_values = true
    )]
    density: Option<Ratio>,
}

impl SampleArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let given = (self.override_rate, self.fp_rate, self.density);
        let metrics = if let (Some(override_rate), Some(fp_rate), Some(density)) = given {
            Some(Metrics { override_rate, fp_rate, density })
        } else {
            None
        };
        let request = SampleRequest { agent: &self.agent, session: &self.session, metrics };
        let answer = sample(ctx, &request)?;
        let taken = &answer.body;
        show(ui, &answer, |ui| {
            let TrialView { canary, samples, .. } = &taken.trial;
            let name = ui.paint(Slot::Holder, canary.agent.as_str());
            let verb = if taken.was_there { "sampled before" } else { "sampled" };
            let (count, window) = (samples.len(), canary.window_uses);
            ui.line(&format!("{verb}  {name}  {count} of {window}{}", verdict_text(canary)))
        })
    }
}

fn verdict_text(canary: &Canary) -> String {
    if canary.status.is_open() {
        return String::new();
    }
    let worse = canary.verdict.as_ref().map_or_else(Vec::new, |verdict| verdict.worse.clone());
    let worse =
        if worse.is_empty() { String::new() } else { format!(": {} got worse", worse.join(", ")) };
    format!(", {}{worse}", canary.status.name())
}

/// Judge the trials that are due, and show the state of the others
///
/// A trial is due when it has all its samples or its time is over. Exits with 1 while an override
/// made something worse and is not taken back.
#[derive(Debug, clap::Args)]
struct CheckArgs {
    /// Only the trial of this agent
    #[arg(value_name = "AGENT")]
    agent: Option<String>,
}

impl CheckArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let answer = check(ctx, self.agent.as_deref())?;
        let trials = &answer.body.trials;
        show(ui, &answer, |ui| {
            if trials.is_empty() {
                ui.note("nobody is on trial")?;
            }
            ui.table(trials.iter().map(|one| cells(one, answer.at)))
        })
    }
}

fn cells(one: &CheckedView, now: Timestamp) -> Vec<Cell> {
    let canary = &one.trial.canary;
    let ends = if canary.status.is_open() {
        format!("ends {}", relative(canary.expires_at.as_seconds(), now.as_seconds()))
    } else {
        verdict_text(canary).trim_start_matches(", ").to_owned()
    };
    vec![
        Cell::painted(Slot::Holder, canary.agent.as_str()),
        Cell::plain(format!("{} of {} samples", one.trial.samples.len(), canary.window_uses)),
        Cell::plain(ends),
    ]
}
