//! `git coord ledger`

mod compact;

use clap::Subcommand;
use serde_json::{Value, json};

use crate::app::Ctx;
use crate::app::ledgers::{self, Change, NamedEntry, RollbackTo};
use crate::app::problem::Problem;
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::holds::{fields, ids_json, print_table};
use crate::cli::layout::{Cell, DiffLine, aligned, line_diff};
use crate::cli::open::open;
use crate::cli::term::Ui;
use crate::cli::values::{LedgerAt, parse_entry, parse_ledger_at};
use crate::core::documents::Key;
use crate::core::ids::EntryName;
use crate::core::ledger::LedgerName;
use crate::core::reservation::Hold;
use crate::core::text::{Line, shown};
use crate::core::time::relative;
use crate::store::git::object::ObjectId;
use crate::store::ledger::verify::Fault;

/// Look into the ledgers, check them, turn them back, make them shorter
///
/// A ledger is a ref under refs/coord/ whose commits are its entries: one command, one entry.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be done with a ledger.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Log(LogArgs),
    Show(ShowArgs),
    Diff(DiffArgs),
    Rollback(RollbackArgs),
    Verify(VerifyArgs),
    Compact(compact::Args),
}

/// List entries, newest first
#[derive(Debug, clap::Args)]
pub(crate) struct LogArgs {
    /// The ledger, and with '@' the entry to begin with
    #[arg(value_name = "LEDGER[@ENTRY]", value_parser = parse_ledger_at)]
    pub(crate) at: LedgerAt,

    /// At most this many entries
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = 100,
        value_parser = clap::value_parser!(u32).range(1..),
        allow_hyphen_values = true
    )]
    pub(crate) limit: u32,
}

/// Show one entry: who did what, its events and its command
#[derive(Debug, clap::Args)]
pub(crate) struct ShowArgs {
    /// The ledger, and with '@' the entry; the newest without
    #[arg(value_name = "LEDGER[@ENTRY]", value_parser = parse_ledger_at)]
    pub(crate) at: LedgerAt,
}

/// Show which documents one entry changed
#[derive(Debug, clap::Args)]
pub(crate) struct DiffArgs {
    /// The ledger, and with '@' the entry; the newest without
    #[arg(value_name = "LEDGER[@ENTRY]", value_parser = parse_ledger_at)]
    pub(crate) at: LedgerAt,
}

const ROLLBACK_EXAMPLES: &str = "\
Examples:
  git coord ledger rollback reservations --to 3f9c2ab1 --reason 'wrong release' --dry-run";

/// Turn a ledger back to an earlier entry, with a new entry
///
/// Nothing is lost: the rollback is itself an entry, and rolling back to the entry that was left
/// undoes it. Expired reservations do not come back.
#[derive(Debug, clap::Args)]
#[command(after_long_help = ROLLBACK_EXAMPLES)]
pub(crate) struct RollbackArgs {
    /// The ledger
    #[arg(value_name = "LEDGER")]
    pub(crate) ledger: LedgerName,

    /// The entry whose state is restored
    #[arg(long, value_name = "ENTRY", value_parser = parse_entry)]
    pub(crate) to: EntryName,

    /// Why, for the record
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Line,

    /// Refuse if the newest entry is another one
    #[arg(long, value_name = "ENTRY", value_parser = parse_entry)]
    pub(crate) expect: Option<EntryName>,

    /// Tell what would change, and leave it
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Check ledgers: objects, format, sequence and laws
///
/// Names each fault and exits with 1 when there is one.
#[derive(Debug, clap::Args)]
pub(crate) struct VerifyArgs {
    /// The ledger; all of them without
    #[arg(value_name = "LEDGER")]
    pub(crate) ledger: Option<LedgerName>,
}

impl Args {
    /// Looks into a ledger, checks it, or turns it back.
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = open(context)?;
        match &self.command {
            Command::Log(args) => args.run(ui, &ctx),
            Command::Show(args) => args.run(ui, &ctx),
            Command::Diff(args) => args.run(ui, &ctx),
            Command::Rollback(args) => args.run(ui, &ctx),
            Command::Verify(args) => args.run(ui, &ctx),
            Command::Compact(args) => args.run(ui, &ctx),
        }
    }
}

fn entry_json(named: &NamedEntry) -> Value {
    let counters = &named.entry.message.counters;
    let mut value = json!({
        "entry": named.id.to_string(),
        "seq": counters.seq,
        "op": counters.op,
        "at": counters.at,
        "summary": named.entry.message.summary,
        "events": named.entry.message.events.len(),
    });
    if let Some(actor) = &named.actor {
        value["actor"] = json!(actor);
    }
    value
}

/// Rows of a log that are laid out together: a long history is not held in memory.
const ALIGNED_MAX: usize = 1_000;

impl LogArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let LedgerAt { ledger, entry } = &self.at;
        let entries = ledgers::log(ctx, *ledger, entry.as_ref(), self.limit as usize)?;
        let named = |id: &ObjectId| ledgers::named(ctx, *ledger, *id).map_err(Problem::from);
        if ui.is_json() {
            let answer = fields([("ledger", json!(ledger.as_str()))]);
            let rows = entries.iter().map(|id| named(id).map(|named| entry_json(&named)));
            ui.answer_with_rows(answer, "entries", rows)?;
            return Ok(ExitCode::Done);
        }
        if entries.is_empty() {
            ui.note(&format!("'{ledger}' has no entries yet"))?;
        }
        for entries in entries.chunks(ALIGNED_MAX) {
            let row = |id| Ok(log_row(ui, ctx, &named(id)?));
            let rows = entries.iter().map(row).collect::<Result<Vec<_>, Problem>>()?;
            for line in aligned(&rows) {
                ui.line(&line)?;
            }
            if ui.is_closed() {
                break;
            }
        }
        Ok(ExitCode::Done)
    }
}

fn log_row(ui: &Ui, ctx: &Ctx, named: &NamedEntry) -> Vec<Cell> {
    let counters = &named.entry.message.counters;
    let when = relative(counters.at.as_seconds(), ctx.clock().as_seconds());
    vec![
        Cell::plain(&counters.seq.to_string()),
        Cell::painted(&named.id.short(), ui.paint(Slot::Id, &named.id.short())),
        Cell::painted(&when, ui.paint(Slot::Dim, &when)),
        Cell::plain(&shown(&named.entry.message.summary)),
    ]
}

impl ShowArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let entry = ledgers::show(ctx, self.at.ledger, self.at.entry.as_ref())?;
        let events = &entry.named.entry.message.events;
        if ui.is_json() {
            let mut answer = fields([("ledger", json!(self.at.ledger.as_str()))]);
            if let Value::Object(named) = entry_json(&entry.named) {
                answer.extend(named);
            }
            answer.insert("events".to_owned(), json!(events));
            answer.insert("command".to_owned(), entry.command);
            ui.answer(true, answer)?;
            return Ok(ExitCode::Done);
        }
        let counters = &entry.named.entry.message.counters;
        let id = ui.paint(Slot::Id, &entry.named.id.to_string());
        ui.line(&format!("entry {id}"))?;
        if let Some(actor) = &entry.named.actor {
            ui.line(&format!("actor {}", ui.paint(Slot::Holder, actor.as_str())))?;
        }
        ui.line(&format!("seq   {}", counters.seq))?;
        ui.line(&format!("time  {}", counters.at))?;
        ui.line(&format!("\n    {}\n", shown(&entry.named.entry.message.summary)))?;
        for event in events {
            let data = Value::Object(event.data.clone()).to_string();
            let subject = event.subject.as_deref().unwrap_or_default();
            ui.line(&format!("{}  {}  {}", shown(&event.kind), shown(subject), shown(&data)))?;
        }
        ui.line(&format!("\ncommand {}", shown(&entry.command.to_string())))?;
        Ok(ExitCode::Done)
    }
}

impl DiffArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let entry = ledgers::show(ctx, self.at.ledger, self.at.entry.as_ref())?;
        if ui.is_json() {
            let document = |bytes: &Option<Vec<u8>>| -> Option<Value> {
                bytes.as_ref().map(|bytes| {
                    serde_json::from_slice(bytes)
                        .unwrap_or_else(|_| json!(String::from_utf8_lossy(bytes)))
                })
            };
            let mut changes = Vec::new();
            for change in &entry.changes {
                let mut value = json!({ "path": change.key.as_str() });
                for (name, side) in [("before", &change.before), ("after", &change.after)] {
                    if let Some(document) = document(side) {
                        value[name] = document;
                    }
                }
                changes.push(value);
            }
            let answer = fields([
                ("ledger", json!(self.at.ledger.as_str())),
                ("entry", json!(entry.named.id.to_string())),
                ("changes", json!(changes)),
            ]);
            ui.answer(true, answer)?;
            return Ok(ExitCode::Done);
        }
        for change in &entry.changes {
            print_change(ui, change)?;
        }
        Ok(ExitCode::Done)
    }
}

/// One document: what went with `-`, what came with `+`.
fn print_change(ui: &mut Ui, change: &Change) -> Result<(), Problem> {
    let lines = |side: &Option<Vec<u8>>| -> Vec<String> {
        let text = String::from_utf8_lossy(side.as_deref().unwrap_or_default()).into_owned();
        text.lines().map(|line| shown(line).into_owned()).collect()
    };
    ui.line(&ui.paint(Slot::Path, change.key.as_str()))?;
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
        let wanted = RollbackTo {
            to: self.to.clone(),
            reason: self.reason.clone(),
            expect: self.expect.clone(),
            dry_run: self.dry_run,
        };
        let outcome = ledgers::rollback(ctx, self.ledger, &wanted)?;
        for notice in &outcome.notices {
            ui.warn(notice)?;
        }
        if ui.is_json() {
            let mut answer = fields([
                ("ledger", json!(self.ledger.as_str())),
                ("restored", json!(outcome.to.to_string())),
                ("undone", json!(outcome.undone)),
                ("revoked", ids_json(&outcome.changed.revoked)),
                ("regranted", ids_json(&outcome.changed.regranted)),
                ("documents", json!(keys(&outcome.changed.restored))),
                ("dry_run", json!(self.dry_run)),
            ]);
            if let Some(entry) = outcome.entry {
                answer.insert("entry".to_owned(), json!(entry.to_string()));
            }
            ui.answer(true, answer)?;
            return Ok(ExitCode::Done);
        }
        let count = outcome.undone;
        let (to, entries) = (outcome.to.short(), if count == 1 { "entry" } else { "entries" });
        let line = match (&outcome.entry, self.dry_run) {
            (Some(entry), _) => {
                format!("rolled back {count} {entries} to {to}, as entry {}", entry.short())
            }
            (None, true) => format!("would roll back {count} {entries} to {to}"),
            (None, false) => format!("already as at {to}: nothing to roll back"),
        };
        ui.line(&line)?;
        print_holds(ui, "granted again", &outcome.changed.regranted, ctx)?;
        print_holds(ui, "revoked", &outcome.changed.revoked, ctx)?;
        for key in keys(&outcome.changed.restored) {
            ui.line(&format!("restored {}", ui.paint(Slot::Path, key)))?;
        }
        Ok(ExitCode::Done)
    }
}

fn keys(restored: &[Key]) -> Vec<&str> {
    restored.iter().map(Key::as_str).collect()
}

fn print_holds(ui: &mut Ui, what: &str, holds: &[Hold], ctx: &Ctx) -> Result<(), Problem> {
    if !holds.is_empty() {
        ui.line(&format!("{what}:"))?;
        print_table(ui, holds, ctx.clock())?;
    }
    Ok(())
}

impl VerifyArgs {
    fn run(&self, ui: &mut Ui, ctx: &Ctx) -> Result<ExitCode, Problem> {
        let ledgers = self.ledger.map_or_else(|| LedgerName::ALL.to_vec(), |ledger| vec![ledger]);
        let mut faults = Vec::new();
        let (mut entries, mut checkpoints) = (0, 0);
        for ledger in ledgers {
            let report = ledgers::verify(ctx, ledger)?;
            entries += report.entries;
            checkpoints += report.checkpoints;
            if report.other_rules > 0 {
                let count = report.other_rules;
                ui.note(&format!(
                    "{count} entries of '{ledger}' follow other rules: decoded only"
                ))?;
            }
            if report.cut_off > 0 {
                ui.note(&format!(
                    "this clone is shallow: entries of '{ledger}' before its end are not here"
                ))?;
            }
            faults.extend(report.faults.into_iter().map(|fault| (ledger, fault)));
        }
        if ui.is_json() {
            let rows: Vec<Value> =
                faults.iter().map(|(ledger, fault)| fault_json(*ledger, fault)).collect();
            let answer = fields([
                ("entries", json!(entries)),
                ("checkpoints", json!(checkpoints)),
                ("faults", json!(rows)),
            ]);
            ui.answer(faults.is_empty(), answer)?;
        } else if faults.is_empty() {
            let noun = if entries == 1 { "entry" } else { "entries" };
            ui.line(&format!("ok: {entries} {noun}"))?;
        } else {
            for (ledger, fault) in &faults {
                let at = fault.entry.map_or(String::new(), |entry| format!("@{}", entry.short()));
                let key = fault.key.as_ref().map_or(String::new(), |key| format!(" {key}"));
                ui.line(&format!("{ledger}{at}{key}: {}", shown(&fault.what)))?;
            }
        }
        Ok(if faults.is_empty() { ExitCode::Done } else { ExitCode::No })
    }
}

fn fault_json(ledger: LedgerName, fault: &Fault) -> Value {
    let mut value = json!({ "ledger": ledger.as_str(), "fault": fault.what });
    if let Some(entry) = fault.entry {
        value["entry"] = json!(entry.to_string());
    }
    if let Some(key) = &fault.key {
        value["path"] = json!(key.as_str());
    }
    value
}
