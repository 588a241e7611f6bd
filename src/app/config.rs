//! The configuration keys of `git coord`: one table for the program and for its documentation.
//!
//! Reading the files is `store::git::config`'s work; here values get their meaning.

mod keys;
mod rescue;

use std::time::Duration;

use crate::core::boolean::parse_boolean;
use crate::core::domain::tree_path::{BadTreePath, TreePath};
use crate::core::duration::{DurationError, parse_duration, parse_ttl};
use crate::core::ids::{AgentName, BadId};
use crate::core::time::Ttl;
pub use keys::{KEYS, Key, ValueKind};
pub use rescue::RescueSettings;

/// A value that does not fit its key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("bad value '{}' for config key '{key}'", crate::core::text::shown(value))]
pub struct SettingError {
    /// The key as people spell it.
    pub key: &'static str,
    /// The value that was found.
    pub value: String,
    /// The reason why it does not fit.
    #[source]
    pub fault: ValueFault,
}

/// The reason why a value does not fit its key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ValueFault {
    /// No git boolean.
    #[error("expected true or false")]
    Boolean,
    /// No word about colour.
    #[error("expected auto, always, never, true or false")]
    Color,
    /// No word about what to do.
    #[error("expected warn or refuse")]
    Severity,
    /// No word about the end of a reservation.
    #[error("expected turn, commit, session or ttl")]
    Release,
    /// No duration.
    #[error(transparent)]
    Duration(#[from] DurationError),
    /// No agent name.
    #[error(transparent)]
    Agent(#[from] BadId),
    /// No path in the repository.
    #[error(transparent)]
    TreePath(#[from] BadTreePath),
    /// No number of bytes.
    #[error("expected a size up to 64m, such as 500k or 8m")]
    Size,
    /// No number of snapshots.
    #[error("expected a number from 1 to 1000")]
    Count,
}

/// The settings of one command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// `coord.agent`.
    pub agent: Option<AgentName>,
    /// `coord.wait`.
    pub wait: Duration,
    /// `coord.ttl`.
    pub ttl: Ttl,
    /// `coord.fsync`.
    pub fsync: bool,
    /// `coord.queue`.
    pub queue: bool,
    /// `coord.clockSkew`.
    pub clock_skew: Duration,
    /// `coord.negotiation`.
    pub negotiation: bool,
    /// `coord.recordConflicts`.
    pub record_conflicts: bool,
    pub hook: HookSettings,
    pub rescue: RescueSettings,
    pub domains: DomainSettings,
    pub routing: RoutingSettings,
    /// `coord.runGates`.
    pub run_gates: Option<TreePath>,
}

/// The settings of domains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainSettings {
    /// `coord.domainIndex`.
    pub index: Option<TreePath>,
    /// `coord.domainProfiles`.
    pub profiles: Option<TreePath>,
    /// `coord.agentsDirectory`.
    pub agents: TreePath,
}

/// The settings of routing overrides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoutingSettings {
    /// `coord.routePrefixes`.
    pub prefixes: Vec<String>,
    /// `coord.crossCutting`.
    pub cross_cutting: Vec<String>,
    /// `coord.roster`.
    pub roster: Option<String>,
}

/// The settings of hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HookSettings {
    /// `coord.enabled`.
    pub enabled: bool,
    /// `coord.hook.failClosed`.
    pub fail_closed: bool,
    /// `coord.hook.people`: the treatment of people, where an agent would be stopped.
    pub people: Severity,
    /// `coord.hook.shell`.
    pub shell: bool,
    /// `coord.hook.changes`.
    pub changes: Severity,
    /// `coord.hook.leftovers`.
    pub leftovers: Severity,
    /// `coord.hook.release`.
    pub release: ReleaseWith,
    /// `coord.trailers`.
    pub trailers: bool,
}

/// The treatment of an act that is not wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The actor is told.
    Warn,
    /// The actor is stopped.
    Refuse,
}

/// The end of a hold that came with an edit, if it does not expire before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReleaseWith {
    /// The end of the agent's turn, or the commit.
    Turn,
    Commit,
    /// The end of the session.
    Session,
    /// Nothing but its time.
    Ttl,
}

impl ReleaseWith {
    /// Tells whether a commit ends it.
    pub fn is_at_commit(self) -> bool {
        matches!(self, ReleaseWith::Turn | ReleaseWith::Commit)
    }
}

impl Settings {
    /// Reads all settings through a lookup of configured values.
    pub fn read(lookup: &dyn Fn(&str) -> Option<String>) -> Result<Settings, SettingError> {
        for key in KEYS {
            check(lookup, &key)?;
        }
        Ok(Settings {
            agent: value(lookup, "coord.agent", |text| Ok(text.parse()?))?,
            wait: required(lookup, "coord.wait", |text| Ok(parse_duration(text)?))?,
            ttl: required(lookup, "coord.ttl", |text| Ok(parse_ttl(text)?))?,
            fsync: required(lookup, "coord.fsync", boolean)?,
            queue: required(lookup, "coord.queue", boolean)?,
            clock_skew: required(lookup, "coord.clockSkew", |text| Ok(parse_duration(text)?))?,
            negotiation: required(lookup, "coord.negotiation", boolean)?,
            record_conflicts: required(lookup, "coord.recordConflicts", boolean)?,
            hook: HookSettings::read(lookup)?,
            rescue: RescueSettings::read(lookup)?,
            domains: DomainSettings::read(lookup)?,
            routing: RoutingSettings::read(lookup)?,
            run_gates: value(lookup, "coord.runGates", tree_path)?,
        })
    }
}

impl DomainSettings {
    fn read(lookup: Lookup<'_>) -> Result<DomainSettings, SettingError> {
        Ok(DomainSettings {
            index: value(lookup, "coord.domainIndex", tree_path)?,
            profiles: value(lookup, "coord.domainProfiles", tree_path)?,
            agents: required(lookup, "coord.agentsDirectory", tree_path)?,
        })
    }
}

impl RoutingSettings {
    fn read(lookup: Lookup<'_>) -> Result<RoutingSettings, SettingError> {
        let list = |text: &str| Ok(text.split_whitespace().map(str::to_owned).collect());
        Ok(RoutingSettings {
            prefixes: value(lookup, "coord.routePrefixes", list)?.unwrap_or_default(),
            cross_cutting: required(lookup, "coord.crossCutting", list)?,
            roster: value(lookup, "coord.roster", |text| Ok(text.to_owned()))?,
        })
    }
}

impl HookSettings {
    fn read(lookup: Lookup<'_>) -> Result<HookSettings, SettingError> {
        Ok(HookSettings {
            enabled: required(lookup, "coord.enabled", boolean)?,
            fail_closed: required(lookup, "coord.hook.failClosed", boolean)?,
            people: required(lookup, "coord.hook.people", severity)?,
            shell: required(lookup, "coord.hook.shell", boolean)?,
            changes: required(lookup, "coord.hook.changes", severity)?,
            leftovers: required(lookup, "coord.hook.leftovers", severity)?,
            release: required(lookup, "coord.hook.release", release_with)?,
            trailers: required(lookup, "coord.trailers", boolean)?,
        })
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self::read(&|_| None).expect("every default in the table fits its key")
    }
}

/// Tells whether a key that is off by default is set to something else. A value that makes no sense
/// counts as on; reading all settings reports it.
pub fn is_set_on(lookup: Lookup<'_>, name: &str) -> bool {
    lookup(name).is_some_and(|text| parse_boolean(&text) != Some(false))
}

/// Finds the `coord.*` keys among `configured` that mean nothing, most likely misspelt.
pub fn unknown_keys<'a>(configured: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let known = |name: &str| KEYS.iter().any(|key| key.name.eq_ignore_ascii_case(name));
    let ours =
        |name: &str| name.get(..6).is_some_and(|section| section.eq_ignore_ascii_case("coord."));
    configured.into_iter().filter(|name| ours(name) && !known(name)).collect()
}

/// Finds the key that the author of `name` most likely meant.
pub fn nearest_key(name: &str) -> Option<&'static str> {
    const SLIPS_MAX: usize = 3;
    let name = name.to_ascii_lowercase();
    let slips = |key: &Key| distance(&name, &key.name.to_ascii_lowercase());
    let nearest = KEYS.iter().min_by_key(|key| slips(key))?;
    (slips(nearest) <= SLIPS_MAX).then_some(nearest.name)
}

/// Counts the letters that must be added, removed or changed to turn one text into the other.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (place, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], place + 1);
        for (column, found) in other.chars().enumerate() {
            let change = diagonal + usize::from(found != letter);
            diagonal = row[column + 1];
            row[column + 1] = change.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[row.len() - 1]
}

/// Checks a value before anything needs it, so that a slip is found where it is made.
fn check(lookup: Lookup<'_>, key: &Key) -> Result<(), SettingError> {
    let fits = |text: &str| match key.kind {
        ValueKind::Boolean => boolean(text).map(drop),
        ValueKind::Color if matches!(text, "auto" | "always" | "never") => Ok(()),
        ValueKind::Color => parse_boolean(text).map(drop).ok_or(ValueFault::Color),
        ValueKind::Severity => severity(text).map(drop),
        ValueKind::Release => release_with(text).map(drop),
        ValueKind::Duration => parse_duration(text).map(|_| ()).map_err(ValueFault::from),
        ValueKind::Ttl => parse_ttl(text).map(|_| ()).map_err(ValueFault::from),
        ValueKind::Words | ValueKind::Roster => Ok(()),
        ValueKind::Agent => text.parse::<AgentName>().map(|_| ()).map_err(ValueFault::from),
        ValueKind::TreePath => tree_path(text).map(drop),
        ValueKind::Size => rescue::size(text).map(drop),
        ValueKind::Count => rescue::count(text).map(drop),
    };
    let Some(text) = lookup(key.name) else { return Ok(()) };
    fits(&text).map_err(|fault| SettingError { key: key.name, value: text, fault })
}

/// Configured values by key.
type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

fn boolean(text: &str) -> Result<bool, ValueFault> {
    parse_boolean(text).ok_or(ValueFault::Boolean)
}

fn tree_path(text: &str) -> Result<TreePath, ValueFault> {
    Ok(text.parse()?)
}

fn severity(text: &str) -> Result<Severity, ValueFault> {
    match text {
        "warn" => Ok(Severity::Warn),
        "refuse" => Ok(Severity::Refuse),
        _ => Err(ValueFault::Severity),
    }
}

fn release_with(text: &str) -> Result<ReleaseWith, ValueFault> {
    match text {
        "turn" => Ok(ReleaseWith::Turn),
        "commit" => Ok(ReleaseWith::Commit),
        "session" => Ok(ReleaseWith::Session),
        "ttl" => Ok(ReleaseWith::Ttl),
        _ => Err(ValueFault::Release),
    }
}

fn default_of(name: &str) -> Option<String> {
    let key = KEYS.iter().find(|key| key.name == name)?;
    key.default.map(str::to_owned)
}

fn value<T>(
    lookup: Lookup<'_>,
    name: &'static str,
    parse: impl Fn(&str) -> Result<T, ValueFault>,
) -> Result<Option<T>, SettingError> {
    let Some(text) = lookup(name).or_else(|| default_of(name)) else {
        return Ok(None);
    };
    match parse(&text) {
        Ok(value) => Ok(Some(value)),
        Err(fault) => Err(SettingError { key: name, value: text, fault }),
    }
}

fn required<T>(
    lookup: Lookup<'_>,
    name: &'static str,
    parse: impl Fn(&str) -> Result<T, ValueFault>,
) -> Result<T, SettingError> {
    Ok(value(lookup, name, parse)?.expect("the table has a default for this key"))
}

#[cfg(test)]
mod tests;
