//! `git coord ledger`

mod compact;
mod upgrade;

use std::io;

use clap::Subcommand;
use serde_json::Value;

use crate::app::Ctx;
use crate::app::ledgers::log::{self, log};
use crate::app::ledgers::rollback::{self, rollback};
use crate::app::ledgers::show::{self, Change, Document, diff, show as show_entry};
use crate::app::ledgers::verify::{FaultView, verify};
use crate::app::ledgers::{self, EntryView};
use crate::app::problem::Problem;
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::print_table;
use crate::cli::layout::{Cell, DiffLine, line_diff};
use crate::cli::show::{show, show_rows};
use crate::cli::term::Ui;
use crate::cli::values::{LedgerAt, parse_entry, parse_ledger_at};
use crate::core::bounded::Limit;
use crate::core::ids::EntryName;
use crate::core::ledger::LedgerName;
use crate::core::reservation::Hold;
use crate::core::text::{Line, shown};
use crate::core::time::{Timestamp, relative};

/// Inspect, verify, roll back, compact and upgrade ledgers
///
/// A ledger is a ref under refs/coord/ whose commits are its entries: one command writes one entry.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Log(LogArgs),
    Show(ShowArgs),
    Diff(DiffArgs),
    Rollback(RollbackArgs),
    Verify(VerifyArgs),
    Compact(compact::Args),
    Upgrade(upgrade::Args),
}

/// List entries, newest first
#[derive(Debug, clap::Args)]
pub(crate) struct LogArgs {
    /// Ledger, and after '@' the entry to begin with [default: the newest one]
    #[arg(value_name = "LEDGER[@ENTRY]", value_parser = parse_ledger_at)]
    pub(crate) at: LedgerAt,

    /// At most this many entries
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = log::LIMIT_DEFAULT,
        allow_hyphen_values = true
    )]
    pub(crate) limit: Limit,
}

/// Show one entry: its author, its events and its command
#[derive(Debug, clap::Args)]
pub(crate) struct ShowArgs {
    /// Ledger, and after '@' its entry [default: the newest one]
    #[arg(value_name = "LEDGER[@ENTRY]", value_parser = parse_ledger_at)]
    pub(crate) at: LedgerAt,
}

/// Show the documents that one entry changed
#[derive(Debug, clap::Args)]
pub(crate) struct DiffArgs {
    /// Ledger, and after '@' its entry [default: the newest one]
    #[arg(value_name = "LEDGER[@ENTRY]", value_parser = parse_ledger_at)]
    pub(crate) at: LedgerAt,
}

const ROLLBACK_EXAMPLES: &str = "\
Examples:
  git coord ledger rollback reservations --to 3f9c2ab1 --reason 'wrong release' --dry-run";

/// Roll a ledger back to an earlier entry, with a new entry
///
/// Nothing is lost: the rollback is itself an entry, and a rollback to the entry before it undoes
/// it. Expired reservations do not come back.
#[derive(Debug, clap::Args)]
#[command(after_long_help = ROLLBACK_EXAMPLES)]
pub(crate) struct RollbackArgs {
    /// Name of the ledger
    #[arg(value_name = "LEDGER")]
    pub(crate) ledger: LedgerName,

    /// Entry whose state to restore
    #[arg(long, value_name = "ENTRY", value_parser = parse_entry)]
    pub(crate) to: EntryName,

    /// Reason, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,

    /// Refuse unless this is the newest entry
    #[arg(long, value_name = "ENTRY", value_parser = parse_entry)]
    pub(crate) expect: Option<EntryName>,

    /// Show what would change without changing it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Verify the objects, format, sequence and invariants of ledgers
///
/// Names each fault, and exits with 1 if there is one.
#[derive(Debug, clap::Args)]
pub(crate) struct VerifyArgs {
    /// Ledger [default: all of them]
    #[arg(value_name = "LEDGER")]
    pub(crate) ledger: Option<LedgerName>,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        match &self.command {
            Command::Log(args) => args.run(ui, &ctx),
            Command::Show(args) => args.run(ui, &ctx),
            Command::Diff(args) => args.run(ui, &ctx),
            Command::Rollback(args) => args.run(ui, &ctx),
            Command::Verify(args) => args.run(ui, &ctx),
            Command::Compact(args) => args.run(ui, &ctx),
            Command::Upgrade(args) => args.run(ui, &ctx),
        }
    }
}

/// The number of rows of a log that are laid out together: a long history is not held in memory.
const ALIGNED_MAX: usize = 1_000;

impl LogArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let LedgerAt { ledger, entry } = &self.at;
        let limit = self.limit;
        let answer = log(ctx, &log::Request { ledger: *ledger, from: entry.as_ref(), limit })?;
        let read = |id| ledgers::entry(ctx, *ledger, id).map_err(Problem::from);
        let entries = &answer.body.entries;
        if ui.is_json() {
            return show_rows(ui, &answer, "entries", entries.iter().map(|id| read(*id)));
        }
        if entries.is_empty() {
            ui.note(&format!("'{ledger}' has no entries yet"))?;
        }
        for entries in entries.chunks(ALIGNED_MAX) {
            let row = |id: &_| Ok(log_row(&read(*id)?, answer.at));
            let rows = entries.iter().map(row).collect::<Result<Vec<_>, Problem>>()?;
            ui.table(rows)?;
            if ui.is_closed() {
                break;
            }
        }
        Ok(ExitCode::Done)
    }
}

fn log_row(entry: &EntryView, now: Timestamp) -> Vec<Cell> {
    let when = relative(entry.at.as_seconds(), now.as_seconds());
    vec![
        Cell::plain(entry.seq.to_string()),
        Cell::painted(Slot::Id, entry.entry.short()),
        Cell::painted(Slot::Dim, when),
        Cell::plain(shown(&entry.summary)),
    ]
}

impl ShowArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = show::Request { ledger: self.at.ledger, entry: self.at.entry.as_ref() };
        let answer = show_entry(ctx, &request)?;
        show(ui, &answer, |ui| print_entry(ui, &answer.body))
    }
}

fn print_entry(ui: &mut Ui, show::Body { entry, command, .. }: &show::Body) -> io::Result<()> {
    let id = ui.paint(Slot::Id, &entry.entry.to_string());
    ui.line(&format!("entry {id}"))?;
    if let Some(actor) = &entry.actor {
        ui.line(&format!("actor {}", ui.paint(Slot::Holder, actor.as_str())))?;
    }
    ui.line(&format!("seq   {}", entry.seq))?;
    ui.line(&format!("time  {}", entry.at))?;
    ui.line(&format!("\n    {}\n", shown(&entry.summary)))?;
    for event in &entry.events {
        let data = Value::Object(event.data.clone()).to_string();
        let subject = event.subject.as_deref().unwrap_or_default();
        ui.line(&format!("{}  {}  {}", shown(&event.kind), shown(subject), shown(&data)))?;
    }
    ui.line(&format!("\ncommand {}", shown(&command.to_string())))
}

impl DiffArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = show::Request { ledger: self.at.ledger, entry: self.at.entry.as_ref() };
        let answer = diff(ctx, &request)?;
        let changes = &answer.body.changes;
        show(ui, &answer, |ui| changes.iter().try_for_each(|change| print_change(ui, change)))
    }
}

/// Prints one changed document: removed lines with `-`, added lines with `+`.
fn print_change(ui: &mut Ui, change: &Change) -> io::Result<()> {
    let lines = |side: &Option<Document>| -> Vec<String> {
        let bytes = side.as_ref().map_or(&[][..], |document| &document.bytes);
        String::from_utf8_lossy(bytes).lines().map(|line| shown(line).into_owned()).collect()
    };
    ui.line(&ui.paint(Slot::Path, &change.path))?;
    for line in line_diff(&lines(&change.before), &lines(&change.after)) {
        ui.line(&match line {
            DiffLine::Gone(text) => ui.paint(Slot::Error, &format!("-{text}")),
            DiffLine::Came(text) => ui.paint(Slot::Holder, &format!("+{text}")),
            DiffLine::Same(text) => format!(" {text}"),
        })?;
    }
    Ok(())
}

impl RollbackArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let request = rollback::Request {
            ledger: self.ledger,
            to: &self.to,
            reason: &self.reason,
            expect: self.expect.as_ref(),
            dry_run: self.dry_run,
        };
        let answer = rollback(ctx, &request)?;
        let rollback::Body { restored, undone, documents, changed, .. } = &answer.body;
        let entries = if *undone == 1 { "entry" } else { "entries" };
        let to = restored.short();
        let line = match (&answer.written, self.dry_run) {
            (Some(written), _) => {
                let entry = written.entry.short();
                format!("rolled back {undone} {entries} to {to}, as entry {entry}")
            }
            (None, true) => format!("would roll back {undone} {entries} to {to}"),
            (None, false) => format!("already as at {to}: nothing to roll back"),
        };
        show(ui, &answer, |ui| {
            ui.line(&line)?;
            print_holds(ui, "granted again", &changed.regranted, ctx.clock())?;
            print_holds(ui, "revoked", &changed.revoked, ctx.clock())?;
            let restored = |path| format!("restored {path}");
            documents.iter().try_for_each(|key| ui.line(&restored(ui.paint(Slot::Path, key))))
        })
    }
}

fn print_holds(ui: &mut Ui, what: &str, holds: &[Hold], now: Timestamp) -> io::Result<()> {
    if !holds.is_empty() {
        ui.line(&format!("{what}:"))?;
    }
    print_table(ui, holds, now)
}

impl VerifyArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let answer = verify(ctx, self.ledger)?;
        let (entries, faults) = (answer.body.entries, &answer.body.faults);
        show(ui, &answer, |ui| {
            if faults.is_empty() {
                let noun = if entries == 1 { "entry" } else { "entries" };
                ui.line(&format!("ok: {entries} {noun}"))?;
            }
            faults.iter().try_for_each(|fault| ui.line(&fault_text(fault)))
        })
    }
}

fn fault_text(FaultView { ledger, fault, entry, path }: &FaultView) -> String {
    let at = entry.map_or_else(String::new, |entry| format!("@{}", entry.short()));
    let path = path.as_ref().map_or_else(String::new, |path| format!(" {path}"));
    format!("{ledger}{at}{path}: {}", shown(fault))
}
