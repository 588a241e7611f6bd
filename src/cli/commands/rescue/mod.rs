//! `git coord rescue`

mod restore;

use std::ffi::OsString;

use clap::Subcommand;

use crate::app::problem::Problem;
use crate::app::rescue::diff::{self, Against, diff};
use crate::app::rescue::drop::{self, drop};
use crate::app::rescue::list::{self, list};
use crate::app::rescue::save::{self, save};
use crate::app::rescue::view::{EditView, SavedView, SnapshotView};
use crate::cli::color::Slot;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::layout::Cell;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::cli::values::{Word, one_of, word_of};
use crate::core::bounded::Limit;
use crate::core::ids::AgentName;
use crate::core::text::{Line, shown};
use crate::core::time::{Timestamp, relative};

/// The largest number of paths that a line names.
const PATHS_NAMED_MAX: usize = 3;

const SIDES: [Word<Against>; 2] = [
    ("work", Against::Work, "The files as they are now"),
    ("head", Against::Head, "The commit that was checked out"),
];

/// Bring back uncommitted work that was saved
///
/// Hooks save what agents have changed: each edit, everything at the end of a turn, and everything
/// before a shell command that would throw work away. Snapshots are commits under
/// refs/coord/rescue/, which no branch leads to. They stay in this clone and are never pushed.
/// Without a command, lists what is saved.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(ListArgs),
    Diff(DiffArgs),
    Restore(restore::Args),
    Save(SaveArgs),
    Drop(DropArgs),
}

/// List snapshots and saved edits, newest first
#[derive(Debug, clap::Args)]
struct ListArgs {
    /// Only those with these paths or patterns
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    paths: Vec<OsString>,

    /// Those of the linked worktree of this name, which may be gone; - is the main one
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    worktree: Option<String>,

    /// Only what this agent or its subagents have changed
    #[arg(long, value_name = "AGENT")]
    agent: Option<AgentName>,

    /// At most this many snapshots
    #[arg(
        long,
        value_name = "NUMBER",
        default_value_t = list::LIMIT_DEFAULT,
        allow_hyphen_values = true
    )]
    limit: Limit,
}

impl Default for ListArgs {
    fn default() -> ListArgs {
        ListArgs { paths: Vec::new(), worktree: None, agent: None, limit: list::LIMIT_DEFAULT }
    }
}

const DIFF_EXAMPLES: &str = "\
Examples:
  git coord rescue diff src/api/users.rs
  git coord rescue diff 3f9c2ab1
  git coord rescue diff --against head src";

/// Show what bringing saved content back would change, as a patch
#[derive(Debug, clap::Args)]
#[command(after_long_help = DIFF_EXAMPLES)]
struct DiffArgs {
    /// Id of a snapshot, and paths or patterns [default: the newest version of each path]
    #[arg(value_name = "ID|PATH", value_hint = clap::ValueHint::AnyPath)]
    words: Vec<OsString>,

    /// Saved content of the linked worktree of this name; - is the main one
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    worktree: Option<String>,

    /// Side to compare with
    #[arg(
        long,
        value_name = "SIDE",
        value_parser = one_of(&SIDES),
        default_value = word_of(&SIDES, diff::AGAINST_DEFAULT)
    )]
    against: Against,
}

/// Save all uncommitted content now
///
/// Saves changed and new files of this worktree, but not ignored ones. Changes nothing in the work
/// tree and in the index.
#[derive(Debug, clap::Args)]
struct SaveArgs {
    /// Reason, which 'rescue list' shows
    #[arg(long, value_name = "TEXT")]
    reason: Option<Line>,
}

/// Remove snapshots
///
/// Git removes their content when it next collects garbage.
#[derive(Debug, clap::Args)]
struct DropArgs {
    /// Ids of snapshots
    #[arg(value_name = "ID", required_unless_present = "all")]
    ids: Vec<String>,

    /// All snapshots and saved edits of this worktree
    #[arg(long, conflicts_with = "ids")]
    all: bool,
}

impl Args {
    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        match &self.command {
            None => ListArgs::default().run(ui, context),
            Some(Command::List(args)) => args.run(ui, context),
            Some(Command::Diff(args)) => args.run(ui, context),
            Some(Command::Restore(args)) => args.run(ui, context),
            Some(Command::Save(args)) => args.run(ui, context),
            Some(Command::Drop(args)) => args.run(ui, context),
        }
    }
}

impl ListArgs {
    fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let request = list::Request {
            paths: &self.paths,
            worktree: self.worktree.as_deref(),
            agent: self.agent.as_ref(),
            limit: self.limit,
        };
        let answer = list(&ctx, &request)?;
        show(ui, &answer, |ui| {
            let list::Body { snapshots, edits, more } = &answer.body;
            let rows = edits.iter().map(|edit| edit_row(edit, answer.at));
            let snapshots = snapshots.iter().map(|snapshot| row(snapshot, answer.at));
            ui.table(rows.chain(snapshots))?;
            if *more { ui.note("there are more; --limit shows them") } else { Ok(()) }
        })
    }
}

fn row(snapshot: &SnapshotView, now: Timestamp) -> Vec<Cell> {
    let why = snapshot.command.as_ref().map(|command| format!("before '{command}'"));
    let why = why.or_else(|| snapshot.reason.as_ref().map(|reason| reason.as_str().to_owned()));
    let paths: Vec<String> =
        snapshot.paths.iter().take(PATHS_NAMED_MAX).map(SavedView::text).collect();
    let more = snapshot.files.saturating_sub(paths.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let saved = match &snapshot.dropped {
        Some(dropped) => Cell::plain(dropped.text()),
        None => Cell::painted(Slot::Path, format!("{}{more}", paths.join(", "))),
    };
    vec![
        Cell::painted(Slot::Id, snapshot.id.clone()),
        Cell::plain(relative(snapshot.at.as_seconds(), now.as_seconds())),
        Cell::painted(Slot::Holder, snapshot.agent.to_string()),
        Cell::plain(shown(&why.unwrap_or_else(|| snapshot.why.name().to_owned()))),
        saved,
    ]
}

fn edit_row(edit: &EditView, now: Timestamp) -> Vec<Cell> {
    vec![
        Cell::painted(Slot::Id, "edit"),
        Cell::plain(relative(edit.at.as_seconds(), now.as_seconds())),
        Cell::painted(Slot::Holder, edit.agent.to_string()),
        Cell::plain("edit"),
        Cell::painted(Slot::Path, edit.path.text()),
    ]
}

impl DiffArgs {
    fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let request = diff::Request {
            words: &self.words,
            worktree: self.worktree.as_deref(),
            against: self.against,
        };
        let answer = diff(&ctx, &request)?;
        show(ui, &answer, |ui| answer.body.files.iter().try_for_each(|file| ui.bytes(&file.bytes)))
    }
}

impl SaveArgs {
    fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let answer = save(&ctx, &save::Request { reason: self.reason.as_ref() })?;
        show(ui, &answer, |ui| {
            let rows = answer.body.snapshot.iter().map(|snapshot| row(snapshot, answer.at));
            ui.table(rows)
        })
    }
}

impl DropArgs {
    fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let answer = drop(&ctx, &drop::Request { ids: &self.ids, all: self.all })?;
        show(ui, &answer, |ui| {
            let drop::Body { dropped, edits } = &answer.body;
            dropped.iter().try_for_each(|id| ui.line(&format!("dropped  {id}")))?;
            match edits {
                0 => Ok(()),
                1 => ui.line("dropped  1 saved edit"),
                edits => ui.line(&format!("dropped  {edits} saved edits")),
            }
        })
    }
}
