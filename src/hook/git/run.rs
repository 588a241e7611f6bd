//! A hook of git from its call to the answer: in time, and never in the way of the user's work
//! because of a fault of its own.

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal as _, Read as _};
use std::path::Path;

use crate::app::Ctx;
use crate::app::answer::{Answer, Note};
use crate::app::changesets::push::Announced;
use crate::app::changesets::{Body, Objection, Verdict, commit, push, trailers};
use crate::app::error::AppError;
use crate::app::open::{Door, Pace, late_because, now};
use crate::app::problem::{Advice, Hint, Kind, Problem};
use crate::core::environment::Environment;
use crate::core::ids::AgentName;
use crate::hook::deadline::{Deadline, LIMIT, in_time};
use crate::hook::policy::Policy;

/// More than git says on stdin about any push.
const STDIN_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// A hook of git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    PreCommit,
    PreMergeCommit,
    PrepareCommitMsg,
    PostCommit,
    PrePush,
}

/// The reply to git: go on, perhaps with remarks, or the reason to stop.
pub type Reply = Result<Answer<Body>, Problem>;

/// A call of a hook.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    pub name: Name,
    pub args: &'a [OsString],
    /// The agent that acts, if the caller has named it.
    pub acting_as: Option<&'a AgentName>,
    pub environment: &'a Environment,
}

impl Name {
    /// Tells whether git goes by the answer.
    fn is_gate(self) -> bool {
        self != Name::PostCommit
    }
}

/// Answers a hook. If that takes too long, `late` shows a reply in its place, and the process ends
/// with what it returns.
pub fn run(call: Call<'_>, late: impl Fn(Reply) -> u8 + Clone + Send + 'static) -> Reply {
    let (name, unopened, not_begun) = (call.name, call.environment.clone(), late.clone());
    let too_late = move || {
        let stance = Door::unopened(&unopened).ok().and_then(|door| Stance::of(name, &door));
        not_begun(stance.map_or_else(|| Ok(pass()), |stance| stance.late(&unopened)))
    };
    in_time(
        too_late,
        |deadline| call.reply(deadline, late),
        |why| {
            let door = Door::unopened(call.environment).ok();
            let stance = door.and_then(|door| Stance::of(name, &door));
            stance.map_or_else(|| Ok(pass()), |stance| stance.failed(why))
        },
    )
}

fn pass() -> Answer<Body> {
    Answer::read(Body {}, now())
}

impl Call<'_> {
    fn reply(&self, deadline: &Deadline, late: impl Fn(Reply) -> u8 + Send + 'static) -> Reply {
        let door = Door::find(self.environment)?;
        let Some(stance) = Stance::of(self.name, &door) else { return Ok(pass()) };
        let environment = self.environment.clone();
        deadline.change(LIMIT, move || late(stance.late(&environment)));
        match self.verdict(&door) {
            Ok(Verdict::Pass) => Ok(pass()),
            Ok(Verdict::Warn(objection)) => Ok(pass().noting(warnings(objection))),
            Ok(Verdict::Refuse(objection)) => Err(refused(objection)),
            Err(problem) => stance.failed(&problem.message),
        }
    }

    fn verdict(&self, door: &Door) -> Result<Verdict, Problem> {
        let ctx = door.open(self.acting_as, door.settings()?, Pace::Hook)?;
        if ctx.repository().work_tree().is_none() {
            return Ok(Verdict::Pass);
        }
        Ok(match self.name {
            Name::PreCommit | Name::PreMergeCommit => commit::before(&ctx, self.environment)?,
            Name::PostCommit => commit::after(&ctx).map(|()| Verdict::Pass)?,
            Name::PrePush => self.before_push(&ctx)?,
            Name::PrepareCommitMsg => match commit::again(&ctx, self.environment)? {
                Verdict::Pass if ctx.settings().hook.trailers => self.sign(&ctx),
                verdict => verdict,
            },
        })
    }

    /// Adds the trailers to the message. A message without them is no reason to stop a commit.
    fn sign(&self, ctx: &Ctx) -> Verdict {
        match self.add_trailers(ctx) {
            Ok(()) => Verdict::Pass,
            Err(error) => {
                let message = unchecked("left as it was", &error.to_string());
                Verdict::Warn(Objection::saying("held", message))
            }
        }
    }

    fn add_trailers(&self, ctx: &Ctx) -> Result<(), AppError> {
        let Some(file) = self.args.first() else {
            return Err(AppError::Usage("which file has the message?".to_owned()));
        };
        let word = |at: usize| self.args.get(at).and_then(|word| word.to_str());
        let source = trailers::Source { kind: word(1), commit: word(2) };
        let file = self.environment.resolve(Path::new(file));
        trailers::sign(ctx, self.environment, &file, source)
    }

    /// Decides about a push. Leaves stdin alone where a manager of hooks has read it before: it may
    /// stay open.
    fn before_push(&self, ctx: &Ctx) -> Result<Verdict, Problem> {
        let remote = self.args.first().map(OsString::as_os_str).and_then(OsStr::to_str);
        let remote = match push::announced(remote, self.environment) {
            Announced::Whole(push) => return Ok(push::before(ctx, &push)?),
            Announced::OnStdin { remote } => remote,
        };
        let mut lines = String::new();
        let stdin = std::io::stdin();
        if !stdin.is_terminal() {
            stdin.lock().take(STDIN_BYTES_MAX).read_to_string(&mut lines).map_err(|error| {
                Problem::new(Kind::Failure, format!("cannot read stdin: {error}"))
            })?;
        }
        Ok(push::before(ctx, &push::read_lines(&lines, remote))?)
    }
}

/// The rules for a hook that cannot check its call.
#[derive(Clone, Copy)]
struct Stance {
    name: Name,
    policy: Policy,
    /// False if the user hears nothing of a call that passes unchecked.
    speaks: bool,
}

impl Stance {
    /// Reads the stance of a hook; none where it does not act.
    fn of(name: Name, door: &Door) -> Option<Stance> {
        let speaks = match name {
            // Git's own output is no place for what comes after the commit.
            Name::PostCommit => false,
            // The hook before it has said that nothing was checked.
            Name::PrepareCommitMsg => door.is_on("coord.trailers"),
            Name::PreCommit | Name::PreMergeCommit | Name::PrePush => true,
        };
        Policy::of(door).map(|policy| Stance { name, policy, speaks })
    }

    /// Replies to a call that took too long, with what has kept it if that can be seen.
    fn late(self, environment: &Environment) -> Reply {
        self.failed(&late_because(environment, LIMIT))
    }

    fn failed(self, why: &str) -> Reply {
        if self.policy.refuses_unchecked(self.name.is_gate()) {
            let message = format!("nothing is known of who holds what: {why}");
            let hint = "coord.hook.failClosed is set, so this stops here";
            return Err(Problem::new(Kind::Refused, message).with_hint(Hint::plain(hint)));
        }
        let is_about_message = self.name == Name::PrepareCommitMsg;
        let passed = if is_about_message { "left as it was" } else { "not checked" };
        Ok(pass().noting(self.speaks.then(|| Note::warning(unchecked(passed, why)))))
    }
}

/// Says what became of a call that could not be answered, and why.
fn unchecked(passed: &str, why: &str) -> String {
    format!("git coord: {passed}: {why}")
}

/// Turns an objection that stops nobody into remarks.
fn warnings(objection: Objection) -> Vec<Note> {
    let Objection { message, hints, .. } = objection;
    let mut lines = message.lines().map(str::to_owned);
    let mut warning = Note::warning(lines.next().unwrap_or_default());
    warning.details = lines.collect();
    let mut notes = vec![warning];
    if !hints.is_empty() {
        notes.push(Note::hint(Advice::Held, hints.join("\n")));
    }
    notes
}

fn refused(objection: Objection) -> Problem {
    let Objection { code, message, hints, next, details } = objection;
    let problem = hints
        .into_iter()
        .map(Hint::plain)
        .fold(Problem::refused(code, message), Problem::with_hint);
    let problem = next.into_iter().fold(problem, Problem::with_next);
    details.into_iter().fold(problem, |problem, (name, value)| problem.with(name, value))
}
