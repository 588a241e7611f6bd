//! `git coord run advance`

use serde_json::{Map, Value, json};

use crate::app::next::{command as next, in_shell};
use crate::app::problem::Problem;
use crate::app::{Ctx, runs};
use crate::cli::exit::ExitCode;
use crate::cli::open::told;
use crate::cli::runs::{answer, documents, evidence_lines, line, shut_text};
use crate::cli::term::Ui;
use crate::core::ledger::LedgerName;
use crate::core::run::advance::{Advance, Advanced, Step};
use crate::core::run::gate::{Check, Evidence};
use crate::core::run::names::{IdPrefix, PhaseName};
use crate::core::text::{Line, shown};

const EXAMPLES: &str = "\
Examples:
  git coord run advance k3v9x2ab
  git coord run advance k3v9x2ab --expect planned --reason 'reviewed with ann'";

/// Take a run on to its next phase, if the gate is open
///
/// Passes over skipped phases. Of two who take on a run from the same phase, one does; the other
/// is told that the phase changed. Exits with 1 if the gate is shut, or if the run waits for
/// somebody's word and there is no --reason.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// The run, or the beginning of its id
    #[arg(value_name = "RUN")]
    pub(crate) run: IdPrefix,

    /// Refuse if it is at another phase than this [default: the one it is at]
    #[arg(long, value_name = "PHASE")]
    pub(crate) expect: Option<PhaseName>,

    /// How much the gate weighs: 0 and 1 stop, 2 and 3 warn, 4 asks nothing
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 1,
        value_parser = clap::value_parser!(u8).range(0..=4),
        allow_hyphen_values = true
    )]
    pub(crate) priority: u8,

    /// Why it may go on
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<Line>,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let (run, expect) = runs::seen(ctx, &self.run, self.expect.as_ref())?;
        let command = Advance {
            run,
            expect: Some(expect),
            priority: self.priority,
            reason: self.reason.clone(),
        };
        let advanced = told(ui, ctx.transact(LedgerName::Runs, command, None)?)?;
        report(ui, &advanced)
    }
}

/// Tells what came of a wish to go on.
pub(super) fn report(ui: &mut Ui, advanced: &Advanced) -> Result<ExitCode, Problem> {
    let is_done = advanced.step == Step::Done;
    if ui.is_json() {
        ui.answer(is_done, answer_json(advanced))?;
    } else if is_done {
        print_done(ui, advanced)?;
    } else {
        let (message, command) = refusal(advanced);
        ui.talk(&format!("not advanced: {}", shown(&message)))?;
        for line in evidence_lines(&advanced.evidence) {
            ui.talk(&format!("  {line}"))?;
        }
        ui.note(&format!("hint: {}", in_shell(&command)))?;
    }
    Ok(if is_done { ExitCode::Done } else { ExitCode::No })
}

fn print_done(ui: &mut Ui, advanced: &Advanced) -> Result<(), Problem> {
    ui.line(&format!("{}, from '{}'", line(ui, &advanced.run), advanced.from))?;
    if advanced.evidence.iter().any(|evidence| !evidence.passed) {
        ui.warn(&format!("the gate was shut: {}", shut_text(&advanced.evidence)))?;
    }
    Ok(())
}

fn answer_json(advanced: &Advanced) -> Map<String, Value> {
    let Advanced { run, from, to, step, evidence } = advanced;
    let word = match step {
        Step::Done => "advanced",
        Step::Paused => "paused",
        Step::Blocked => "blocked",
    };
    let mut fields = answer(
        run,
        [
            ("outcome", json!(word)),
            ("from_phase", json!(from)),
            ("to_phase", json!(to)),
            ("evidence", documents(evidence)),
        ],
    );
    if *step != Step::Done {
        let (message, command) = refusal(advanced);
        let refusal = json!({
            "code": word, "message": message, "run": run.id, "from": from, "to": to,
            "next": [command],
        });
        fields.insert("refusal".to_owned(), refusal);
    }
    fields
}

/// Why a run did not go on, and what to run about it.
fn refusal(advanced: &Advanced) -> (String, Vec<String>) {
    let Advanced { run, from, to, step, evidence } = advanced;
    if *step == Step::Paused {
        let message = format!("run '{}' waits at '{from}' for somebody's word", run.id);
        (message, next(&["run", "advance", run.id.as_str(), "--reason", "go on"]))
    } else {
        let why = shut_text(evidence);
        let message = format!("the gate of run '{}' before '{to}' is shut: {why}", run.id);
        // What has ended never comes to a phase: somebody has to let go of it.
        let command = match ended_upstream(evidence) {
            Some(upstream) => next(&["run", "set", run.id.as_str(), "--not-after", &upstream]),
            None => next(&["run", "gate", "check", run.id.as_str()]),
        };
        (message, command)
    }
}

/// A run that is waited for, and that was called off or came to nothing.
fn ended_upstream(evidence: &[Evidence]) -> Option<String> {
    let of_upstreams = evidence.iter().filter(|one| one.check == Check::UpstreamsAtPhase);
    let mut behind = of_upstreams.filter_map(|one| one.found.get("behind")?.as_array()).flatten();
    let ended = behind.find(|run| run["status"] == "cancelled" || run["status"] == "failed")?;
    ended["id"].as_str().map(str::to_owned)
}
