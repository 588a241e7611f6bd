//! `git coord override eligible`

use serde_json::{Value, json};

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::{agent_name, assessments};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::holds::fields;
use crate::cli::layout::{Cell, aligned};
use crate::cli::term::Ui;
use crate::core::routing::classify::{Assessment, Class, Eligibility, Pattern};
use crate::core::routing::names::Word;

/// Tell which agents may be left out by their evidence
///
/// One agent: exits with 1 if it may not. Without one: all with evidence that counts, those that
/// may be left out first, then those that are on their way.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The agent
    #[arg(value_name = "AGENT")]
    agent: Option<String>,

    /// Also the ids of the evidence
    #[arg(long)]
    evidence: bool,
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let agent = self.agent.as_deref().map(|agent| agent_name(ctx, agent)).transpose()?;
        let (mut found, _) = assessments(ctx, agent.as_ref())?;
        found.sort_by_key(|one| {
            (one.eligibility != Eligibility::Eligible, !one.approaching, one.agent.clone())
        });
        let is_one_no = agent.is_some() && found.iter().any(|one| !is_eligible(one));
        if ui.is_json() {
            let agents: Vec<Value> = found.iter().map(|one| self.assessment_json(one)).collect();
            ui.answer(!is_one_no, fields([("agents", json!(agents))]))?;
        } else {
            self.print(ui, &found)?;
        }
        Ok(if is_one_no { ExitCode::No } else { ExitCode::Done })
    }

    fn assessment_json(&self, one: &Assessment) -> Value {
        let pattern = |pattern: &Pattern| {
            let mut value = json!({
                "event": pattern.event,
                "events": pattern.events,
                "sessions": pattern.sessions,
                "projects": pattern.projects,
                "class": pattern.class.name(),
            });
            if let Some(reason) = &pattern.reason {
                value["reason"] = json!(reason);
            }
            value
        };
        let mut value = json!({
            "agent": one.agent,
            "eligibility": one.eligibility.word(),
            "eligible": is_eligible(one),
            "approaching": one.approaching,
            "overlay_eligible": one.overlay,
            "overridden": one.tally.overridden,
            "wrong": one.tally.wrong,
            "sessions": one.sessions,
            "patterns": one.patterns.iter().map(pattern).collect::<Vec<_>>(),
        });
        if self.evidence {
            value["evidence_ids"] = one.rows.iter().map(|row| json!(row.id)).collect();
        }
        value
    }

    fn print(&self, ui: &mut Ui, found: &[Assessment]) -> Result<(), Problem> {
        if found.is_empty() {
            ui.note("no evidence that counts")?;
        }
        let rows: Vec<Vec<Cell>> = found.iter().map(|one| cells(ui, one)).collect();
        for (line, one) in aligned(&rows).iter().zip(found) {
            ui.line(line)?;
            for pattern in &one.patterns {
                ui.line(&format!("    {}", pattern_text(pattern)))?;
            }
            if self.evidence {
                let ids: Vec<&str> = one.rows.iter().map(|row| row.id.as_str()).collect();
                ui.line(&format!("    evidence: {}", ids.join(" ")))?;
            }
        }
        Ok(())
    }
}

fn is_eligible(one: &Assessment) -> bool {
    one.eligibility == Eligibility::Eligible
}

fn cells(ui: &Ui, one: &Assessment) -> Vec<Cell> {
    let percent =
        one.tally.percent().map_or(String::new(), |percent| format!("wrong in {percent}%"));
    let more = match (one.approaching, one.overlay) {
        (_, true) => "an overlay may help",
        (true, false) => "approaching",
        (false, false) => "",
    };
    vec![
        Cell::painted(one.agent.as_str(), ui.paint(Slot::Holder, one.agent.as_str())),
        Cell::plain(&one.eligibility.word()),
        Cell::plain(&percent),
        Cell::plain(&format!("of {} overrides in {} sessions", one.tally.overridden, one.sessions)),
        Cell::plain(more),
    ]
}

fn pattern_text(pattern: &Pattern) -> String {
    let Pattern { event, events, sessions, projects, class, .. } = pattern;
    let reason = pattern.reason.as_ref().map_or("", Word::as_str);
    let name = match class {
        Class::Ready => "ready",
        other => other.name(),
    };
    format!("{name}: {event} {reason}, {events} events, {sessions} sessions, {projects} projects")
}
