//! A hook of git from its call to the answer: in time, and never in the way of the user's work
//! because of a fault of its own.

use std::ffi::OsString;
use std::io::{IsTerminal as _, Read as _};
use std::path::Path;

use crate::app::answer::{Answer, Note};
use crate::app::changesets::moment::{self, Moment, unchecked};
use crate::app::changesets::{Body, Source, pass};
use crate::app::open::{Door, Pace, late_because};
use crate::app::problem::{Hint, Kind, Problem};
use crate::core::environment::Environment;
use crate::core::ids::AgentName;
use crate::hook::deadline::{Deadline, LIMIT, in_time};
use crate::hook::policy::Policy;

/// More than git says on stdin about any push.
const STDIN_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// The code of a call that could not be checked.
const UNCHECKED: &str = "unchecked";
/// The code of a call that took too long.
const LATE: &str = "late";

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
        let stance = Door::without_opening(&unopened).ok().and_then(|door| Stance::of(name, &door));
        not_begun(stance.map_or_else(|| Ok(pass()), |stance| stance.late(&unopened)))
    };
    in_time(
        too_late,
        |deadline| call.reply(deadline, late),
        |why| {
            let door = Door::without_opening(call.environment).ok();
            let stance = door.and_then(|door| Stance::of(name, &door));
            let problem = Problem::new(Kind::Failure, why);
            stance.map_or_else(|| Ok(pass()), |stance| stance.failed(&problem))
        },
    )
}

impl Call<'_> {
    fn reply(&self, deadline: &Deadline, late: impl Fn(Reply) -> u8 + Send + 'static) -> Reply {
        let door = Door::find(self.environment)?;
        let Some(stance) = Stance::of(self.name, &door) else { return Ok(pass()) };
        let environment = self.environment.clone();
        deadline.change(LIMIT, move || late(stance.late(&environment)));
        self.decided(&door).unwrap_or_else(|problem| stance.failed(&problem))
    }

    fn decided(&self, door: &Door) -> Result<Reply, Problem> {
        let ctx = door.open(self.acting_as, door.settings()?, Pace::Hook)?;
        let word = |at: usize| self.args.get(at).and_then(|word| word.to_str());
        let moment = match self.name {
            Name::PreCommit | Name::PreMergeCommit => Moment::BeforeCommit,
            Name::PostCommit => Moment::AfterCommit,
            Name::PrePush => Moment::BeforePush { remote: word(0), lines: &read_lines },
            Name::PrepareCommitMsg => Moment::Message {
                file: self.args.first().map(Path::new),
                source: Source { kind: word(1), commit: word(2) },
            },
        };
        moment::decide(&ctx, self.environment, moment)
    }
}

/// Reads what git says on stdin about a push. At a terminal, git did not call.
fn read_lines() -> Result<String, Problem> {
    let mut lines = String::new();
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        stdin
            .lock()
            .take(STDIN_BYTES_MAX)
            .read_to_string(&mut lines)
            .map_err(|error| Problem::new(Kind::Failure, format!("cannot read stdin: {error}")))?;
    }
    Ok(lines)
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
        let mut problem = Problem::new(Kind::Failure, late_because(environment, LIMIT));
        problem.code = Some(LATE);
        self.failed(&problem)
    }

    /// Replies to a call that could not be checked. Programs find the kind of the failure and its
    /// code beside the words.
    fn failed(self, problem: &Problem) -> Reply {
        let why = &problem.message;
        if self.policy.refuses_unchecked(self.name.is_gate()) {
            let message = format!("nothing is known of who holds what: {why}");
            let hint = "coord.hook.failClosed is set, so this stops here";
            let refusal = Problem::refused(UNCHECKED, message).with("kind", problem.kind);
            let refusal = match problem.code {
                Some(code) => refusal.with("cause", code),
                None => refusal,
            };
            return Err(refusal.with_hint(Hint::plain(hint)));
        }
        let is_about_message = self.name == Name::PrepareCommitMsg;
        let passed = if is_about_message { "left as it was" } else { "not checked" };
        let note = || Note::warning(unchecked(passed, why)).of(problem.code.unwrap_or(UNCHECKED));
        Ok(pass().noting(self.speaks.then(note)))
    }
}
