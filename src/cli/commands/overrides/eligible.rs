//! `git coord override eligible`

use std::io;

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::eligible::{AssessmentView, Request, eligible};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::routing::classify::Pattern;
use crate::core::routing::names::{RecordId, Word};

/// Show which review agents may be left out, by their evidence
///
/// With an agent, exits with 1 if that agent may not be left out. Without one, lists all agents
/// with evidence that counts: first those that may be left out, then those that come close. An
/// agent that an override leaves out already is marked so.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name of the review agent
    #[arg(value_name = "AGENT")]
    agent: Option<String>,

    /// Also list the ids of the evidence
    #[arg(long)]
    evidence: bool,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = Request { agent: self.agent.as_deref(), with_evidence: self.evidence };
        let answer = eligible(ctx, &request)?;
        show(ui, &answer, |ui| print(ui, &answer.body.agents))
    }
}

fn print(ui: &mut Ui, found: &[AssessmentView]) -> io::Result<()> {
    if found.is_empty() {
        ui.note("no evidence that counts")?;
    }
    for (line, one) in ui.aligned(found.iter().map(cells)).iter().zip(found) {
        ui.line(line)?;
        for pattern in &one.patterns {
            ui.line(&format!("    {}", pattern_text(pattern)))?;
        }
        if let Some(ids) = &one.evidence_ids {
            let ids: Vec<&str> = ids.iter().map(RecordId::as_str).collect();
            ui.line(&format!("    evidence: {}", ids.join(" ")))?;
        }
    }
    Ok(())
}

fn cells(one: &AssessmentView) -> Vec<Cell> {
    let percent =
        one.tally.percent().map_or(String::new(), |percent| format!("wrong in {percent}%"));
    let more = match (one.left_out, one.overlay_eligible, one.approaching) {
        (true, ..) => "left out already",
        (false, true, _) => "an overlay may help",
        (false, false, true) => "approaching",
        (false, false, false) => "",
    };
    vec![
        Cell::painted(Slot::Holder, one.agent.as_str()),
        Cell::plain(&one.eligibility),
        Cell::plain(percent),
        Cell::plain(format!("of {} overrides in {} sessions", one.tally.overridden, one.sessions)),
        Cell::plain(more),
    ]
}

fn pattern_text(pattern: &Pattern) -> String {
    let Pattern { event, events, sessions, projects, class, .. } = pattern;
    let reason = pattern.reason.as_ref().map_or("", Word::as_str);
    let name = class.name();
    format!("{name}: {event} {reason}, {events} events, {sessions} sessions, {projects} projects")
}
