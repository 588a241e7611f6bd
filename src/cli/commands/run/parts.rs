//! `git coord run agent list`, `artifact list`, `dispatch list` and `verdict list`, and the tables
//! of these parts.

use std::io;

use super::RunArg;
use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::runs::parts::{Kind, Parts, Request, list};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::ids::AgentName;
use crate::core::run::agent::Member;
use crate::core::run::artifact::Artifact;
use crate::core::run::dispatch::Dispatch;
use crate::core::run::names::PhaseName;
use crate::core::run::verdict::Verdict;
use crate::core::text::shown;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) run: RunArg,

    /// Only those of this phase
    #[arg(long, value_name = "PHASE")]
    pub(crate) phase: Option<PhaseName>,

    /// Also those that were rolled back
    #[arg(long)]
    pub(crate) all: bool,
}

impl Args {
    /// Lists the parts of that kind.
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx, kind: Kind) -> Result<ExitCode, Problem> {
        let Args { run, phase, all } = self;
        let answer = list(ctx, &Request { run: &run.id, kind, phase: phase.as_ref(), all: *all })?;
        show(ui, &answer, |ui| match &answer.body.parts {
            Parts::Agents(agents) => table(ui, "agents", agents),
            Parts::Artifacts(artifacts) => table(ui, "artifacts", artifacts),
            Parts::Dispatches(dispatches) => table(ui, "dispatches", dispatches),
            Parts::Verdicts(verdicts) => table(ui, "verdicts", verdicts),
        })
    }
}

/// A part that has a row in a table.
pub(super) trait Row {
    /// Makes its row.
    fn row(&self) -> Vec<Cell>;
}

fn table(ui: &mut Ui, what: &str, parts: &[impl Row]) -> io::Result<()> {
    if parts.is_empty() { ui.note(&format!("no {what}")) } else { print(ui, parts) }
}

/// Prints parts as a table.
pub(super) fn print(ui: &mut Ui, parts: &[impl Row]) -> io::Result<()> {
    ui.table(parts.iter().map(Row::row))
}

/// Prints one part, and says if it was known before.
pub(super) fn print_added(
    ui: &mut Ui,
    part: &impl Row,
    added: bool,
    known: &str,
) -> io::Result<()> {
    print(ui, std::slice::from_ref(part))?;
    if added { Ok(()) } else { ui.note(known) }
}

impl Row for Member {
    fn row(&self) -> Vec<Cell> {
        vec![
            Cell::painted(Slot::Id, self.id.as_str()),
            Cell::painted(Slot::Holder, self.name.as_str()),
            Cell::plain(self.phase.as_str()),
            Cell::plain(self.status.name()),
        ]
    }
}

impl Row for Artifact {
    fn row(&self) -> Vec<Cell> {
        let hash = self.sha256.as_ref().map_or("-", |hash| &hash.as_str()[..12]);
        let kind = self.kind.as_ref().map_or(String::new(), |kind| shown(kind.as_str()).into());
        vec![
            Cell::painted(Slot::Id, self.id.as_str()),
            Cell::plain(self.phase.as_str()),
            Cell::plain(self.status.name()),
            Cell::painted(Slot::Path, shown(&self.path.shown())),
            Cell::plain(hash),
            Cell::plain(kind),
        ]
    }
}

impl Row for Dispatch {
    fn row(&self) -> Vec<Cell> {
        let agent = self.agent.as_ref().map_or("-", AgentName::as_str);
        vec![
            Cell::painted(Slot::Id, self.id.as_str()),
            Cell::plain(self.phase.as_str()),
            Cell::plain(self.status.name()),
            Cell::painted(Slot::Holder, agent),
            Cell::plain(format!("{} tokens", self.tokens.counted())),
        ]
    }
}

impl Row for Verdict {
    fn row(&self) -> Vec<Cell> {
        let note = self.note.as_ref().map_or(String::new(), |note| shown(note.as_str()).into());
        vec![
            Cell::painted(Slot::Id, self.id.as_str()),
            Cell::plain(self.phase.as_str()),
            Cell::plain(self.result.name()),
            Cell::plain(self.status.name()),
            Cell::painted(Slot::Holder, self.by.as_str()),
            Cell::plain(note),
        ]
    }
}
