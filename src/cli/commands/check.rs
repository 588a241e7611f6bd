//! `git coord check`

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStringExt as _;

use crate::app::error::AppError;
use crate::app::problem::{Advice, Kind, Problem};
use crate::app::reservations::check::{Body, Request, check};
use crate::app::wording::view_text;
use crate::cli::dispatch::Context;
use crate::cli::exit::ExitCode;
use crate::cli::show::show;
use crate::cli::term::Ui;
use crate::core::ids::LockName;
use crate::core::path_list::{PathEnd, split};
use crate::core::pattern::Reading;

const EXAMPLES: &str = "\
Examples:
  git coord check src/api/mod.rs
  git coord check 'src/**' --json
  git coord check --stdin -z
  git coord check --lock staging-db";

/// Check whether paths or locks are free for you, without reserving them
///
/// Exits with 0 if all of them are free or yours, and with 1 if another agent holds one of them.
///
/// With --stdin, reads plain paths without wildcards, one a line as git prints them; no path at all
/// is free. 'git diff --name-only -z | git coord check --stdin -z' checks what you have changed; in
/// a subdirectory, add --relative, so that git prints paths from there.
#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Args {
    /// Paths or patterns, relative to the current directory; ':/' is the top of the repository
    #[arg(
        value_name = "PATTERN",
        required_unless_present_any = ["locks", "stdin"],
        value_hint = clap::ValueHint::AnyPath
    )]
    pub(crate) patterns: Vec<OsString>,

    /// Named lock; may be given more than once
    #[arg(long = "lock", value_name = "NAME")]
    pub(crate) locks: Vec<LockName>,

    /// Read the patterns as plain paths, without wildcards
    #[arg(long)]
    pub(crate) literal: bool,

    /// Read the paths from stdin
    #[arg(long, conflicts_with = "patterns")]
    pub(crate) stdin: bool,

    /// The paths on stdin end in NUL, not in a line break
    #[arg(short = 'z')]
    pub(crate) nul: bool,
}

/// The largest list of paths that is read, in bytes.
const LIST_BYTES_MAX: u64 = 64 * 1024 * 1024;

impl Args {
    /// Checks what the parser cannot: it takes no requirement that excludes another argument.
    pub(crate) fn check(&self) -> Result<(), AppError> {
        if self.stdin || !self.nul {
            return Ok(());
        }
        Err(AppError::Usage("'-z' is for the paths on stdin: it needs --stdin".to_owned()))
    }

    pub(crate) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let ctx = context.open()?;
        let listed = if self.stdin { Some(self.listed()?) } else { None };
        let is_plain = self.literal || self.stdin;
        let request = Request {
            patterns: listed.as_ref().unwrap_or(&self.patterns),
            locks: &self.locks,
            reading: if is_plain { Reading::Literal } else { Reading::Glob },
            is_list: self.stdin,
            advise: ui.wants_advice(Advice::NoMatch),
        };
        let answer = check(&ctx, &request)?;
        let Body { free, all, .. } = &answer.body;
        show(ui, &answer, |ui| {
            if *free {
                ui.line("free")?;
            }
            all.iter().try_for_each(|conflict| ui.line(&view_text(conflict, answer.at)))
        })
    }

    /// Reads the list of paths on stdin.
    fn listed(&self) -> Result<Vec<OsString>, Problem> {
        let mut list = Vec::new();
        io::stdin().lock().take(LIST_BYTES_MAX + 1).read_to_end(&mut list)?;
        if list.len() as u64 > LIST_BYTES_MAX {
            let message = format!("more than {LIST_BYTES_MAX} bytes on stdin");
            return Err(Problem::new(Kind::Usage, message));
        }
        let end = if self.nul { PathEnd::Nul } else { PathEnd::Line };
        let paths = split(&list, end).map_err(|error| Problem::caused(Kind::Usage, &error))?;
        Ok(paths.into_iter().map(OsString::from_vec).collect())
    }
}
