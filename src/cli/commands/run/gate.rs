//! `git coord run gate`

use clap::{Subcommand, ValueEnum};
use serde_json::{Value, json};

use super::advance::report;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::app::{Ctx, runs};
use crate::cli::exit::ExitCode;
use crate::cli::layout::{Cell, aligned};
use crate::cli::open::told;
use crate::cli::runs::{answer, documents, evidence_lines};
use crate::cli::term::Ui;
use crate::core::ledger::LedgerName;
use crate::core::run::gate::{Rule, standing_rules};
use crate::core::run::gates::gates_of;
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::run::override_gate::OverrideGate;
use crate::core::run::record;
use crate::core::text::Line;

/// Ask the gates of a run, see their rules, go past one on the record
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be done with a gate.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Check(CheckArgs),
    Override(OverrideArgs),
    Rules(RulesArgs),
    Signals(SignalsArgs),
}

/// Ask the gate before the next phase, as 'run advance' would, and leave everything as it is
///
/// Exits with 1 if it is shut.
#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,
}

const OVERRIDE_EXAMPLES: &str = "\
Examples:
  git coord run gate override k3v9x2ab --reason 'reviewed by hand' --category justified";

/// Take a run past a gate that is shut, on the record
#[derive(Debug, clap::Args)]
#[command(after_long_help = OVERRIDE_EXAMPLES)]
pub(crate) struct OverrideArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// Why, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,

    /// Whether the gate was wrong, or right and in the way
    #[arg(long, value_name = "CATEGORY", value_enum)]
    pub(crate) category: Category,

    /// Refuse if it is at another phase than this [default: the one it is at]
    #[arg(long, value_name = "PHASE")]
    pub(crate) expect: Option<PhaseName>,
}

/// Why somebody goes past a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Category {
    /// The gate is wrong
    Justified,
    /// The gate is right, and it has to go on
    Expedient,
}

/// Show what each gate of a run asks
#[derive(Debug, clap::Args)]
pub(crate) struct RulesArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,
}

/// Show how right the gates of a run were
///
/// A gate that let the run pass was right (tn), unless the run was rolled back over it (fn). One
/// that stood in the way was right (tp), unless somebody went past it with --category justified
/// (fp): once for each time that the run came to it. What nobody asked is not judged.
#[derive(Debug, clap::Args)]
pub(crate) struct SignalsArgs {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        match &self.command {
            Command::Check(args) => args.run(ui, ctx),
            Command::Override(args) => args.run(ui, ctx),
            Command::Rules(args) => args.run(ui, ctx),
            Command::Signals(args) => args.run(ui, ctx),
        }
    }
}

impl CheckArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let reading = runs::read(ctx)?;
        let run = runs::find(&reading, &self.run)?;
        let ahead = runs::ahead(&reading.base.snapshot, &run).map_err(AppError::from)?;
        let Some(ahead) = ahead else {
            let refusal = crate::core::refusal::Refusal::from(
                run.must_be_active().expect_err("only an active run has something ahead"),
            );
            return Err(AppError::from(refusal).into());
        };
        let is_open = ahead.is_open();
        if ui.is_json() {
            let mut fields = answer(
                &run,
                [
                    ("from_phase", json!(run.phase)),
                    ("to_phase", json!(ahead.to)),
                    ("open", json!(is_open)),
                    ("evidence", documents(&ahead.evidence)),
                ],
            );
            if !is_open {
                let message = format!("the gate before '{}' is shut", ahead.to);
                let refusal = json!({ "code": "blocked", "message": message, "next": [] });
                fields.insert("refusal".to_owned(), refusal);
            }
            ui.answer(is_open, fields)?;
        } else {
            let word = if is_open { "open" } else { "shut" };
            ui.line(&format!("the gate from '{}' to '{}' is {word}", run.phase, ahead.to))?;
            for line in evidence_lines(&ahead.evidence) {
                ui.line(&format!("  {line}"))?;
            }
        }
        Ok(if is_open { ExitCode::Done } else { ExitCode::No })
    }
}

impl OverrideArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let (run, expect) = runs::seen(ctx, &self.run, self.expect.as_ref())?;
        let wish = OverrideGate {
            run,
            expect: Some(expect),
            reason: self.reason.clone(),
            category: match self.category {
                Category::Justified => record::Category::Justified,
                Category::Expedient => record::Category::Expedient,
            },
        };
        let advanced = told(ui, ctx.transact(LedgerName::Runs, wish, None)?)?;
        report(ui, &advanced)
    }
}

impl RulesArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let reading = runs::read(ctx)?;
        let run = runs::find(&reading, &self.run)?;
        let gates = gates_of(&reading.base.snapshot, &run).map_err(AppError::from)?;
        let always = standing_rules(&run);
        if ui.is_json() {
            let fields = [
                ("source", json!(run.gates_from.name())),
                ("gates", documents(&gates)),
                ("always", documents(&always)),
            ];
            ui.answer(true, answer(&run, fields))?;
            return Ok(ExitCode::Done);
        }
        let rows: Vec<Vec<Cell>> = gates
            .iter()
            .map(|gate| {
                let asked: Vec<String> = gate.rules.iter().map(rule_text).collect();
                let asked = if asked.is_empty() { "-".to_owned() } else { asked.join(", ") };
                vec![
                    Cell::plain(gate.from.as_str()),
                    Cell::plain(gate.to.as_str()),
                    Cell::plain(&asked),
                ]
            })
            .collect();
        for line in aligned(&rows) {
            ui.line(&line)?;
        }
        for rule in always {
            ui.line(&format!("at every gate: {}", rule_text(&rule)))?;
        }
        Ok(ExitCode::Done)
    }
}

fn rule_text(rule: &Rule) -> String {
    match &rule.phase {
        Some(phase) => format!("{}({phase})", rule.check.name()),
        None => rule.check.name().to_owned(),
    }
}

impl SignalsArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let reading = runs::read(ctx)?;
        let run = runs::find(&reading, &self.run)?;
        let signals = runs::signals(&reading.base.snapshot, &run)?;
        if ui.is_json() {
            let rows: Vec<Value> = signals
                .iter()
                .map(|(phase, signals)| {
                    let mut row = json!(signals);
                    row["from"] = json!(phase);
                    row
                })
                .collect();
            ui.answer(true, answer(&run, [("signals", json!(rows))]))?;
        } else if signals.is_empty() {
            ui.note("no gate was asked yet")?;
        } else {
            let row = |(phase, signals): &(PhaseName, record::Signals)| {
                let count = |name: &str, count: u32| Cell::plain(&format!("{name} {count}"));
                vec![
                    Cell::plain(phase.as_str()),
                    count("tp", signals.true_positive),
                    count("fp", signals.false_positive),
                    count("tn", signals.true_negative),
                    count("fn", signals.false_negative),
                ]
            };
            for line in aligned(&signals.iter().map(row).collect::<Vec<_>>()) {
                ui.line(&line)?;
            }
        }
        Ok(ExitCode::Done)
    }
}
