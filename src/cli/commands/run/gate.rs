//! `git coord run gate`

use clap::Subcommand;

use super::RunArg;
use super::advance::report;
use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::gate::{
    Checked, JudgedGate, Override, Rules, check, go_past, rules, signals,
};
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::runs::evidence_lines;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::{Word, one_of};
use crate::core::run::gate::Rule;
use crate::core::run::gates::Gate;
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::record::Category;
use crate::core::text::Line;

/// Check the gates of a run, show their rules, or override one
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check the gate before the next phase, without advancing the run
    ///
    /// Exits with 1 if the gate is shut.
    Check(RunArg),
    Override(OverrideArgs),
    /// Show the rules of each gate of a run
    Rules(RunArg),
    /// Show how often the gates of a run were right
    ///
    /// A gate that let the run pass was right (tn), unless the run was rolled back over it (fn). A
    /// gate that was shut was right (tp), unless somebody overrode it with --category justified
    /// (fp). A shut gate counts once for each time that the run came to it. Gates that nobody asked
    /// are not judged.
    Signals(RunArg),
}

const OVERRIDE_EXAMPLES: &str = "\
Examples:
  git coord run gate override k3v9x2ab --reason 'reviewed by hand' --category justified";

/// Take a run past a shut gate, and record why
#[derive(Debug, clap::Args)]
#[command(after_long_help = OVERRIDE_EXAMPLES)]
pub(crate) struct OverrideArgs {
    #[command(flatten)]
    pub(crate) run: RunArg,

    /// Reason, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,

    /// Kind of reason: the gate is wrong, or it is right and in the way
    #[arg(long, value_name = "CATEGORY", value_parser = one_of(&CATEGORIES))]
    pub(crate) category: Category,

    /// Refuse unless the run is at this phase [default: its present phase]
    #[arg(long, value_name = "PHASE")]
    pub(crate) expect: Option<PhaseName>,
}

const CATEGORIES: [Word<Category>; 2] = [
    ("justified", Category::Justified, "The gate is wrong"),
    ("expedient", Category::Expedient, "The gate is right, but the run has to go on"),
];

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        match &self.command {
            Command::Check(args) => ask(ui, ctx, &args.id),
            Command::Override(args) => args.run(ui, ctx),
            Command::Rules(args) => show_rules(ui, ctx, &args.id),
            Command::Signals(args) => show_signals(ui, ctx, &args.id),
        }
    }
}

fn ask(ui: &mut Ui, ctx: &Ctx, run: &IdPrefix) -> Result<ExitCode, Problem> {
    let answer = check(ctx, run)?;
    let Checked { from_phase: from, ahead, .. } = &answer.body;
    show(ui, &answer, |ui| {
        let word = if ahead.open { "open" } else { "shut" };
        ui.line(&format!("the gate from '{from}' to '{}' is {word}", ahead.to))?;
        let lines = evidence_lines(&ahead.evidence);
        lines.iter().try_for_each(|line| ui.line(&format!("  {line}")))
    })
}

impl OverrideArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Override {
            run: &self.run.id,
            reason: &self.reason,
            category: self.category,
            expect: self.expect.as_ref(),
        };
        report(ui, &go_past(ctx, &request)?)
    }
}

fn show_rules(ui: &mut Ui, ctx: &Ctx, run: &IdPrefix) -> Result<ExitCode, Problem> {
    let answer = rules(ctx, run)?;
    let Rules { gates, always, .. } = &answer.body;
    show(ui, &answer, |ui| {
        let row = |gate: &Gate| {
            let asked: Vec<String> = gate.rules.iter().map(rule_text).collect();
            let asked = if asked.is_empty() { "-".to_owned() } else { asked.join(", ") };
            [gate.from.as_str(), gate.to.as_str(), &asked].map(Cell::plain)
        };
        ui.table(gates.iter().map(row))?;
        let line = |rule| format!("at every gate: {}", rule_text(rule));
        always.iter().try_for_each(|rule| ui.line(&line(rule)))
    })
}

fn rule_text(rule: &Rule) -> String {
    match &rule.phase {
        Some(phase) => format!("{}({phase})", rule.check.name()),
        None => rule.check.name().to_owned(),
    }
}

fn show_signals(ui: &mut Ui, ctx: &Ctx, run: &IdPrefix) -> Result<ExitCode, Problem> {
    let answer = signals(ctx, run)?;
    show(ui, &answer, |ui| {
        let gates = &answer.body.signals;
        if gates.is_empty() {
            return ui.note("no gate was asked yet");
        }
        let row = |JudgedGate { signals, from }: &JudgedGate| {
            let count = |name: &str, count: u32| Cell::plain(format!("{name} {count}"));
            vec![
                Cell::plain(from.as_str()),
                count("tp", signals.true_positive),
                count("fp", signals.false_positive),
                count("tn", signals.true_negative),
                count("fn", signals.false_negative),
            ]
        };
        ui.table(gates.iter().map(row))
    })
}
