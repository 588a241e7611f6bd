//! The hooks of git: answered in time, or let pass.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Read as _};
use std::path::Path;
use std::time::Duration;

use serde_json::Map;

use crate::app::config::{is_set_on, parse_boolean};
use crate::app::error::AppError;
use crate::app::problem::{Advice, Hint, Kind, Problem};
use crate::cli::dispatch::Context;
use crate::cli::error::advise;
use crate::cli::exit::ExitCode;
use crate::cli::open::open_hurried;
use crate::cli::term::{Manner, Ui};
use crate::core::environment::Environment;
use crate::core::text::shown;
use crate::hook::acting::{Acting, fails_closed, late_because};
use crate::hook::deadline::Deadline;
use crate::hook::git::push::Announced;
use crate::hook::git::{Objection, Verdict, commit, message, push};
use crate::store::error::StoreError;
use crate::store::worktree::changes::pushed::Push;

/// How long a hook takes in all, and how much of it to wait for others who write.
const TIME_MAX: Duration = Duration::from_secs(2);
const WAIT_MAX: Duration = Duration::from_secs(1);
/// More than git says on stdin about any push.
const STDIN_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// A hook of git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// Refuses paths that another holds, or was granted since they were edited
    PreCommit,
    /// The same for a merge, where only paths count that differ from every parent
    PreMergeCommit,
    /// Adds Coord-Agent and Coord-Fence to the message, with coord.trailers
    PrepareCommitMsg,
    /// Ends the reservations that came with the edits of what was committed
    PostCommit,
    /// Refuses commits that change what another holds
    PrePush,
}

impl Name {
    /// The key that has to be true for it besides that for all hooks.
    fn own_switch(self) -> Option<&'static str> {
        (self == Name::PrepareCommitMsg).then_some("coord.trailers")
    }

    /// Whether git goes by what it answers.
    fn is_gate(self) -> bool {
        matches!(self, Name::PreCommit | Name::PreMergeCommit | Name::PrePush)
    }
}

/// A call of a hook.
pub(super) struct Called<'a> {
    /// Which.
    pub(super) name: Name,
    /// What it was called with.
    pub(super) args: &'a [OsString],
}

impl Called<'_> {
    /// Answers git. What is not refused is done.
    pub(super) fn run(&self, ui: &mut Ui, context: &Context<'_>) -> Result<ExitCode, Problem> {
        let is_shut = matches!(&*context.repository.borrow(),
            Some(Err(error)) if !matches!(error, StoreError::NotARepository(_)));
        let failing = if is_shut {
            Failing::unopened(self.name, context.environment)
        } else {
            let switch = |key: &str| (context.config)(key).map(|text| parse_boolean(&text));
            let is_off = |key: &str| matches!(switch(key), None | Some(Some(false)));
            let switches = [Some("coord.enabled"), self.name.own_switch()];
            let is_closed = switch("coord.hook.failClosed") == Some(Some(true));
            let acts = !switches.into_iter().flatten().any(is_off);
            acts.then_some(Failing { name: self.name, is_closed })
        };
        if let Some(failing) = failing {
            self.decide(ui, context, failing)?;
        }
        done(ui)
    }

    /// Answers in time, or lets pass.
    fn decide(&self, ui: &mut Ui, context: &Context<'_>, failing: Failing) -> Result<(), Problem> {
        let (manner, environment) = (context.globals.manner(), context.environment.clone());
        let late = move || failing.late(manner, &environment);
        let deadline = context.deadline.take();
        if let Some(deadline) = &deadline {
            deadline.change(TIME_MAX, late);
        }
        let answer = self.answer(context);
        if let Some(deadline) = deadline {
            deadline.over();
        }
        match answer {
            Ok(verdict) => show(ui, verdict),
            Err(error) => failing.say(ui, &error.message),
        }
    }

    fn answer(&self, context: &Context<'_>) -> Result<Verdict, Problem> {
        let ctx = open_hurried(context, WAIT_MAX)?;
        if ctx.repository().work_tree().is_none() {
            return Ok(Verdict::Pass);
        }
        let environment = context.environment;
        let pass = |result: Result<(), AppError>| result.map(|()| Verdict::Pass);
        Ok(match self.name {
            Name::PreCommit | Name::PreMergeCommit => commit::before(&ctx, environment)?,
            Name::PostCommit => pass(commit::after(&ctx))?,
            Name::PrePush => push::before(&ctx, &self.push(environment)?)?,
            Name::PrepareCommitMsg => match self.args.first() {
                Some(file) => {
                    let word = |at: usize| self.args.get(at).and_then(|word| word.to_str());
                    let source = message::Source { kind: word(1), commit: word(2) };
                    pass(message::sign(&ctx, environment, Path::new(file), source))?
                }
                None => return Err(Problem::new(Kind::Usage, "which file has the message?")),
            },
        })
    }

    /// What is pushed. Stdin is left alone where somebody has read it before: it may stay open.
    fn push(&self, environment: &Environment) -> Result<Push, Problem> {
        let remote = self.args.first().and_then(|name| name.to_str());
        let remote = match push::announced(remote, environment) {
            Announced::Whole(push) => return Ok(push),
            Announced::OnStdin { remote } => remote,
        };
        let mut lines = String::new();
        let stdin = std::io::stdin();
        if !stdin.is_terminal() {
            stdin.lock().take(STDIN_BYTES_MAX).read_to_string(&mut lines).map_err(|error| {
                Problem::new(Kind::Failure, format!("cannot read stdin: {error}"))
            })?;
        }
        Ok(push::read_lines(&lines, remote))
    }
}

/// Starts the clock of a hook whose repository is not open yet, and may never be.
pub(super) fn start_clock(name: Name, manner: Manner, environment: &Environment) -> Deadline {
    let environment = environment.clone();
    let late = move || match Failing::unopened(name, &environment) {
        Some(failing) => failing.late(manner, &environment),
        None => ExitCode::Done.number(),
    };
    Deadline::start(TIME_MAX, late)
}

/// What becomes of a hook that cannot tell.
#[derive(Clone, Copy)]
struct Failing {
    name: Name,
    is_closed: bool,
}

impl Failing {
    /// What becomes of a hook whose repository cannot be opened; nothing where it does not act.
    fn unopened(name: Name, environment: &Environment) -> Option<Failing> {
        let Ok(Acting::On(config)) = Acting::without_opening(environment) else { return None };
        let is_on = |key| is_set_on(&|key: &str| config.get(key), key);
        let acts = name.own_switch().is_none_or(is_on);
        acts.then(|| Failing { name, is_closed: fails_closed(&config) })
    }

    /// Says that there was not enough time, on streams of its own, and tells what to exit with.
    fn late(self, manner: Manner, environment: &Environment) -> u8 {
        let mut ui = Ui::of_process(manner, environment, &|_| None);
        let why = late_because(environment, TIME_MAX);
        let said = self.say(&mut ui, &why).and_then(|()| done(&mut ui));
        let shown = match said {
            Ok(code) => ui.flush().map(|()| code),
            Err(error) => error.report(&mut ui),
        };
        shown.unwrap_or(ExitCode::Failure).number()
    }

    fn say(self, ui: &mut Ui, why: &str) -> Result<(), Problem> {
        let is_gate = self.name.is_gate();
        if self.name == Name::PostCommit {
            // Git's own output is no place for what comes after the commit.
            return Ok(());
        }
        if self.is_closed && is_gate {
            let message = format!("nothing is known of who holds what: {why}");
            let hint = "coord.hook.failClosed is set, so this stops here";
            return Err(Problem::new(Kind::Refused, message).with_hint(Hint::plain(hint)));
        }
        let passed = if is_gate { "not checked" } else { "left as it was" };
        ui.warn(&format!("git coord: {passed}: {why}"))?;
        Ok(())
    }
}

fn done(ui: &mut Ui) -> Result<ExitCode, Problem> {
    if ui.is_json() {
        ui.answer(true, Map::new())?;
    }
    Ok(ExitCode::Done)
}

fn show(ui: &mut Ui, verdict: Verdict) -> Result<(), Problem> {
    let Objection { message, hints } = match verdict {
        Verdict::Refuse(objection) => return Err(refused(objection)),
        Verdict::Pass => return Ok(()),
        Verdict::Warn(objection) => objection,
    };
    let mut lines = message.lines();
    ui.warn(lines.next().unwrap_or_default())?;
    for line in lines {
        ui.note(&shown(line))?;
    }
    if !hints.is_empty() {
        advise(ui, Advice::Held, &hints.join("\n"))?;
    }
    Ok(())
}

fn refused(objection: Objection) -> Problem {
    let error = Problem::refused("held", objection.message);
    objection.hints.into_iter().map(Hint::plain).fold(error, Problem::with_hint)
}
