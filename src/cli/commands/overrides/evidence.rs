//! `git coord override evidence add` and `list`

use std::io;

use clap::Subcommand;

use crate::app::Ctx;
use crate::app::problem::Problem;
use crate::app::routing::arguments::{EvidenceList, all_evidence, parse_evidence, parse_name};
use crate::app::routing::evidence::{
    AddRequest, KIND_DEFAULT, LIMIT_DEFAULT, ListRequest, add, list,
};
use crate::cli::color::Slot;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::{self, one_of};
use crate::core::bounded::Limit;
use crate::core::routing::evidence::{Evidence, Findings, SourceKind};
use crate::core::routing::names::Word;
use crate::core::routing::text::{Context, Note};
use crate::core::text::shown;
use crate::core::time::{Timestamp, relative};

/// Record and list evidence on the findings of review agents
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Add(AddArgs),
    List(ListArgs),
}

impl Args {
    pub(super) fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        match &self.command {
            Command::Add(args) => args.run(ui, ctx),
            Command::List(args) => args.run(ui, ctx),
        }
    }
}

const KINDS: [values::Word<SourceKind>; 4] = [
    ("agent", SourceKind::Agent, "A review agent"),
    ("tool", SourceKind::Tool, "A tool and its advice"),
    ("pattern", SourceKind::Pattern, "A pattern that reviewers look for"),
    ("skill", SourceKind::Skill, "The text of a skill"),
];

const ADD_EXAMPLES: &str = "\
Examples:
  git coord override evidence add fd-style --event agent_dispatch --findings 4 --session s1
  git coord override evidence add fd-style --event override --reason agent_wrong --session s1";

/// Record one row of evidence
///
/// A row counts after 48 hours (the threshold quarantine_hours). Removes escape sequences, control
/// characters and secrets before it records anything.
#[expect(clippy::doc_markdown, reason = "help is printed as it is written")]
#[derive(Debug, clap::Args)]
#[command(after_long_help = ADD_EXAMPLES)]
struct AddArgs {
    /// Agent that the row is about
    #[arg(value_name = "AGENT")]
    agent: String,

    /// Event: override, disagreement_override, agent_dispatch, or another word
    #[arg(long, value_name = "EVENT", value_parser = parse_name::<Word>)]
    event: Word,

    /// Reason: agent_wrong, severity_miscalibrated, deprioritized, already_fixed, or another word
    #[arg(long, value_name = "REASON", value_parser = parse_name::<Word>)]
    reason: Option<Word>,

    /// Session that the row comes from [default: your name]
    #[arg(long, value_name = "SESSION")]
    session: Option<Note>,

    /// Project [default: the name of this repository's directory]
    #[arg(long, value_name = "PROJECT")]
    project: Option<Note>,

    /// Context of the event; cut at 500 characters
    #[arg(long, value_name = "TEXT")]
    context: Option<Context>,

    /// Number of findings of this use of the agent
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true)]
    findings: Option<Findings>,

    /// Kind of thing that the row is about
    #[arg(
        long,
        value_name = "KIND",
        value_parser = one_of(&KINDS),
        default_value = values::word_of(&KINDS, KIND_DEFAULT)
    )]
    kind: SourceKind,

    /// Evidence that the row follows from: an id, or several as a JSON array
    #[arg(long, value_name = "ID", value_parser = parse_evidence)]
    lineage: Vec<EvidenceList>,
}

impl AddArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let lineage = all_evidence(&self.lineage);
        let request = AddRequest {
            agent: &self.agent,
            kind: self.kind,
            event: &self.event,
            reason: self.reason.as_ref(),
            session: self.session.as_ref(),
            project: self.project.as_ref(),
            context: self.context.as_ref(),
            findings: self.findings,
            lineage: &lineage,
        };
        let answer = add(ctx, &request)?;
        let row = &answer.body.evidence;
        show(ui, &answer, |ui| {
            let id = ui.paint(Slot::Id, row.id.as_str());
            let counts = row.quarantined_until.map_or_else(
                || "counts at once".to_owned(),
                |until| format!("counts from {until}"),
            );
            ui.line(&format!("recorded  {id}  {}  {}  {counts}", row.source, row.event))
        })
    }
}

/// List evidence that is recent enough to count, newest first
#[derive(Debug, clap::Args)]
struct ListArgs {
    /// Only evidence about this agent
    #[arg(value_name = "AGENT")]
    agent: Option<String>,

    /// At most this many rows
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = LIMIT_DEFAULT,
        allow_hyphen_values = true
    )]
    limit: Limit,
}

impl ListArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = ListRequest { agent: self.agent.as_deref(), limit: self.limit };
        let answer = list(ctx, &request)?;
        show(ui, &answer, |ui| print(ui, &answer.body.evidence, answer.at))
    }
}

fn print(ui: &mut Ui, rows: &[Evidence], now: Timestamp) -> io::Result<()> {
    if rows.is_empty() {
        ui.note("no evidence")?;
    }
    ui.table(rows.iter().map(|row| cells(row, now)))
}

fn cells(row: &Evidence, now: Timestamp) -> Vec<Cell> {
    let held = row.quarantined_until.filter(|until| now < *until);
    let held = held.map_or(String::new(), |until| {
        format!("counts {}", relative(until.as_seconds(), now.as_seconds()))
    });
    let reason = row.override_reason.as_ref().map_or("", Word::as_str);
    let context = row.context.as_ref().map_or("", Context::as_str);
    vec![
        Cell::painted(Slot::Id, row.id.as_str()),
        Cell::plain(relative(row.at.as_seconds(), now.as_seconds())),
        Cell::painted(Slot::Holder, row.source.as_str()),
        Cell::plain(row.event.as_str()),
        Cell::plain(reason),
        Cell::plain(format!("{}#{}", shown(row.session.as_str()), row.seq)),
        Cell::plain(held),
        Cell::painted(Slot::Dim, shown(context)),
    ]
}
