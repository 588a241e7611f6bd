//! Checks everything that could be wrong in a repository, and says for each what to do about it.
//!
//! Checks change nothing. Only the repairs in `mend` write, and they delete nothing.

mod claude;
mod clock;
mod hooks;
mod locks;
mod mend;
mod mirrors;
mod names;
mod rehearsal;
mod repair;
mod room;
mod run;
pub mod view;

pub use run::{Request, doctor};
use view::PlanView;

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::Ctx;
use crate::app::config::{SettingError, nearest_key, unknown_keys};
use crate::app::error::AppError;
use crate::app::install::found;
use crate::app::open::Door;
use crate::core::documents::FORMAT_VERSION;
use crate::core::environment::Environment;
use crate::core::ledger::LedgerName;
use crate::store::error::StoreError;
use crate::store::git::program;
use crate::store::git::repository::Repository;
use crate::store::git::unreadable_repository::UnreadableRepository;
use crate::store::layout::{HelperDir, NAMESPACE, OwnRef};
use crate::store::ledger::verify;
use crate::store::machine::queue::Queue;

/// The oldest git that is supported.
const GIT_OLDEST: (u32, u32) = (2, 39);

/// The command that repairs a ledger.
const REPAIR: [&str; 4] = ["git", "coord", "doctor", "--repair"];

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// All is well.
    Ok,
    /// Good to know; nothing is wrong.
    Note,
    /// Something will go wrong, or is slow.
    Warning,
    /// Something is wrong.
    Fault,
}

impl State {
    pub fn word(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Note => "note",
            State::Warning => "warning",
            State::Fault => "fault",
        }
    }
}

/// A check and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// The part that was checked, such as `git`, `clock` or a ledger.
    pub name: &'static str,
    pub state: State,
    /// The finding in a sentence.
    pub text: String,
    /// Commands that help; each is a list of words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<Vec<String>>,
}

impl Check {
    fn new(name: &'static str, state: State, text: impl Into<String>) -> Check {
        Check { name, state, text: text.into(), next: Vec::new() }
    }

    fn ok(name: &'static str, text: impl Into<String>) -> Check {
        Check::new(name, State::Ok, text)
    }

    fn with_next(mut self, words: &[&str]) -> Check {
        self.next.push(words.iter().map(|word| (*word).to_owned()).collect());
        self
    }
}

/// Checks the version of git.
fn git_program(environment: &Environment) -> Check {
    const NAME: &str = "git";
    let (major, minor) = GIT_OLDEST;
    match program::version(environment) {
        Err(error) => Check::new(NAME, State::Warning, format!("{error}; install git")),
        Ok(version) if is_older(&version) => {
            let text = format!("{version} is older than {major}.{minor}; install a newer git");
            Check::new(NAME, State::Warning, text)
        }
        Ok(version) => Check::ok(NAME, version),
    }
}

fn is_older(version: &str) -> bool {
    program::numbers(version) < GIT_OLDEST
}

/// Checks the settings: values that do not fit, and keys that mean nothing.
fn configuration(names: &[String], settings: Option<&SettingError>) -> Vec<Check> {
    const NAME: &str = "configuration";
    let mut checks = Vec::new();
    if let Some(error) = settings {
        let text = format!("{error}: {}", error.fault);
        let find = ["git", "config", "--show-origin", "--get-all", error.key];
        checks.push(Check::new(NAME, State::Fault, text).with_next(&find));
    }
    for name in unknown_keys(names.iter().map(String::as_str)) {
        let meant = nearest_key(name).map(|key| format!("; did you mean '{key}'?"));
        let text = format!("'{name}' means nothing{}", meant.unwrap_or_default());
        let find = ["git", "config", "--show-origin", "--get-all", name];
        checks.push(Check::new(NAME, State::Warning, text).with_next(&find));
    }
    if checks.is_empty() {
        checks.push(Check::ok(NAME, format!("{} keys set", names.len())));
    }
    checks
}

/// Finds what keeps us from opening the repository. Behind a link is no repository of ours to look
/// at, and behind a pipe nothing.
fn in_the_way(door: &Door) -> Vec<Check> {
    match door.repository(symbolic_link) {
        Some(link) => link.into_iter().collect(),
        // It was not opened, so as not to wait.
        None => pipes(door.environment()),
    }
}

/// Finds a path of ours that leads out of the repository: nothing is kept through a symbolic link.
fn symbolic_link(repository: &Repository) -> Option<Check> {
    let link = repository.link_in_the_way()?;
    let path = link.display().to_string();
    let text = format!("'{path}' is a symbolic link, and state is not kept through one");
    Some(Check::new("files", State::Fault, text).with_next(&["rm", "--", &path]))
}

/// Finds files of git's that keep every program waiting that opens them, without opening anything.
pub fn pipes(environment: &Environment) -> Vec<Check> {
    let pipes =
        UnreadableRepository::find(environment).map(|found| found.pipes()).unwrap_or_default();
    let fault = |pipe: PathBuf| {
        let path = pipe.display().to_string();
        let text = StoreError::Pipe(pipe).to_string();
        Check::new("files", State::Fault, text).with_next(&["rm", "--", &path])
    };
    pipes.into_iter().map(fault).collect()
}

/// Runs every check of an open repository.
fn examine(ctx: &Ctx) -> Result<Vec<Check>, AppError> {
    let mut checks = vec![repository(ctx), identity(ctx)];
    checks.extend(names::names(ctx));
    checks.extend([clock::clock(ctx), queue(ctx)]);
    checks.extend(leftovers(ctx)?);
    for ledger in LedgerName::ALL {
        checks.push(ledger_check(ctx, ledger)?);
    }
    checks.extend(refs(ctx));
    checks.extend(mirrors::mirrors(&found::local(ctx)?));
    Ok(checks)
}

fn repository(ctx: &Ctx) -> Check {
    let repository = ctx.repository();
    let tree = match repository.work_tree() {
        None => "no work tree".to_owned(),
        Some(tree) => match &tree.linked {
            None => "work tree".to_owned(),
            Some(name) => format!("linked worktree '{name}'"),
        },
    };
    let (hash, refs) = (repository.hash_kind().name(), repository.ref_storage().name());
    let path = repository.common_dir().display();
    Check::ok("repository", format!("{path}, {hash} objects, refs as {refs}, {tree}"))
}

fn identity(ctx: &Ctx) -> Check {
    let identity = ctx.identity();
    Check::ok("identity", format!("{} (from {})", identity.name, identity.source.description()))
}

fn queue(ctx: &Ctx) -> Check {
    const NAME: &str = "locks";
    let common = ctx.repository.common_dir();
    let off = || Check::new(NAME, State::Note, "the queue of writers is off (coord.queue)");
    if !ctx.settings.queue {
        return off();
    }
    for ledger in LedgerName::ALL {
        match Queue::new(common, ledger.as_str(), ctx.files).can_lock() {
            Ok(None | Some(true)) => {}
            Ok(Some(false)) => {
                let text = "files cannot be locked here, so writers disturb each other";
                let queue = ["git", "config", "coord.queue", "false"];
                return Check::new(NAME, State::Warning, text).with_next(&queue);
            }
            Err(error) => return Check::new(NAME, State::Fault, error.to_string()),
        }
    }
    Check::ok(NAME, "files can be locked")
}

fn leftovers(ctx: &Ctx) -> Result<Vec<Check>, AppError> {
    let common = ctx.repository.common_dir();
    let mut checks = locks::checks(ctx)?;
    let staged = ctx.files.list(&HelperDir::Staging.below(common)).map_err(AppError::files)?;
    if !staged.is_empty() {
        let text = format!("{} files of ended commands in coord/tmp", staged.len());
        checks.push(Check::new("leftovers", State::Note, text));
    }
    if checks.is_empty() {
        checks.push(Check::ok("leftovers", "none"));
    }
    checks.push(room::packs(ctx)?);
    Ok(checks)
}

fn ledger_check(ctx: &Ctx, name: LedgerName) -> Result<Check, AppError> {
    let ledger = ctx.ledger(name);
    let fault = |text: String| Check::new(name.as_str(), State::Fault, text);
    match ledger.plan_repair() {
        Err(error) => return Ok(fault(error.to_string())),
        Ok(Some(plan)) => {
            let plan = PlanView::new(name, &plan);
            let text = format!("{}; {}", plan.why, repair::outlook(&plan));
            return Ok(fault(text).with_next(&REPAIR));
        }
        Ok(None) => {}
    }
    let report = verify::verify(&ledger, ctx.clock())?;
    if let Some(first) = report.faults.first() {
        let more = match report.faults.len() {
            1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        let verify = ["git", "coord", "ledger", "verify", name.as_str()];
        let found = fault(format!("{}{more}", first.what)).with_next(&verify);
        let can_take_out = name == LedgerName::Reservations
            && repair::unreadable(ctx).is_ok_and(|documents| !documents.is_empty());
        return Ok(if can_take_out { found.with_next(&REPAIR) } else { found });
    }
    let format = ledger.now()?.format.map(|format| format.version);
    let text = match format {
        None => "no entries yet".to_owned(),
        Some(format) => format!("{} entries, format {format}", report.entries),
    };
    if let Some(found) = ledger.rewound()? {
        return Ok(repair::rewound_check(name, &text, &found));
    }
    if format.is_some_and(|format| format < FORMAT_VERSION) {
        let text = format!("{text}; format {FORMAT_VERSION} takes less room and is read faster");
        let upgrade = ["git", "coord", "ledger", "upgrade", name.as_str()];
        return Ok(Check::new(name.as_str(), State::Note, text).with_next(&upgrade));
    }
    Ok(Check::ok(name.as_str(), text))
}

/// Checks the refs beside the ledgers.
fn refs(ctx: &Ctx) -> Vec<Check> {
    const NAME: &str = "refs";
    let listed = ctx.repository.common_program().refs_below(NAMESPACE);
    let listed = match listed {
        Ok(listed) => listed,
        Err(error) => return vec![Check::new(NAME, State::Warning, error.to_string())],
    };
    let mut checks = Vec::new();
    let (mut archives, mut damaged) = (0, 0);
    for reference in &listed {
        // No ref has a space in its name.
        let delete = format!("git update-ref -d {reference}");
        let delete: Vec<&str> = delete.split(' ').collect();
        match OwnRef::of(reference) {
            OwnRef::Ledger | OwnRef::Rescue => {}
            OwnRef::Archive => archives += 1,
            OwnRef::Damaged => damaged += 1,
            OwnRef::InTheWayOf(ledger) => {
                let text = format!("'{reference}' is in the way of the ledger '{ledger}'");
                checks.push(Check::new(NAME, State::Fault, text).with_next(&delete));
            }
            OwnRef::Stranger => {
                let text = format!("'{reference}' is no ledger of this version");
                checks.push(Check::new(NAME, State::Note, text));
            }
        }
    }
    if archives + damaged > 0 {
        let text = format!("kept aside: {archives} archived, {damaged} damaged");
        checks.push(Check::new(NAME, State::Note, text).with_next(&[
            "git",
            "for-each-ref",
            NAMESPACE,
        ]));
    }
    if checks.is_empty() {
        checks.push(Check::ok(NAME, "ledgers only"));
    }
    checks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_git_are_compared_by_number() {
        for (version, older) in
            [("2.39.0", false), ("2.9.5", true), ("2.47.3", false), ("3.0.0", false), ("x", true)]
        {
            assert_eq!(is_older(version), older, "{version}");
        }
        assert!(!is_older("2.39.5 (Apple Git-154)"));
    }

    #[test]
    fn a_slip_in_a_key_is_named_with_what_was_meant() {
        let names = ["coord.wiat", "coord.ttl", "coord.nonsense"].map(str::to_owned);
        let checks = configuration(&names, None);
        let texts: Vec<&str> = checks.iter().map(|check| check.text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "'coord.wiat' means nothing; did you mean 'coord.wait'?",
                "'coord.nonsense' means nothing"
            ]
        );
    }
}
