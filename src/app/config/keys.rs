//! The table of all keys, each with its name, its kind of value and its meaning.

/// The kind of a key's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// A git boolean: `true`, `yes`, `on`, `1` or no value; `false`, `no`, `off`, `0`.
    Boolean,
    /// `90s`, `15m`, `2h`, `7d`.
    Duration,
    /// A duration from one second to one day.
    Ttl,
    /// The name of an agent.
    Agent,
    /// `auto`, `always`, `never` or a git boolean.
    Color,
    /// The treatment of an act that is not wanted.
    Severity,
    /// The time when reservations that edits made end.
    Release,
    /// A path in the repository.
    TreePath,
    /// Words with blanks between them.
    Words,
    /// Directories with colons between them, or `!` and a command.
    Roster,
    /// A number of bytes, as git writes it: `500k`, `8m`.
    Size,
    /// A number of snapshots.
    Count,
}

impl ValueKind {
    /// Describes the kind, for the documentation and for errors.
    pub fn description(self) -> &'static str {
        match self {
            ValueKind::Boolean => "boolean",
            ValueKind::Duration => "duration",
            ValueKind::Ttl => "duration from 1s to 24h",
            ValueKind::Agent => "agent name",
            ValueKind::Color => "auto, always, never or a boolean",
            ValueKind::Severity => "warn or refuse",
            ValueKind::Release => "turn, commit, session or ttl",
            ValueKind::TreePath => "path in the repository",
            ValueKind::Words => "words",
            ValueKind::Roster => "directories, or ! and a command",
            ValueKind::Size => "size up to 64m",
            ValueKind::Count => "number from 1 to 1000",
        }
    }
}

/// One configuration key.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The key as people spell it.
    pub name: &'static str,
    pub kind: ValueKind,
    /// The value where nothing is set; none where there is no fixed one.
    pub default: Option<&'static str>,
    /// Its effect in one or two sentences.
    pub meaning: &'static str,
}

/// Every key that is read.
pub const KEYS: [Key; 31] = [
    Key {
        name: "coord.agent",
        kind: ValueKind::Agent,
        default: None,
        meaning: "Your name as an agent, where neither --as, GIT_COORD_AGENT nor the agent's \
                  own environment gives one.",
    },
    Key {
        name: "coord.wait",
        kind: ValueKind::Duration,
        default: Some("30s"),
        meaning: "How long a command tries again while others write, before it exits with 5.",
    },
    Key {
        name: "coord.ttl",
        kind: ValueKind::Ttl,
        default: Some("15m"),
        meaning: "How long a reservation lives when --ttl is not given.",
    },
    Key {
        name: "coord.fsync",
        kind: ValueKind::Boolean,
        default: Some("true"),
        meaning: "Whether an entry is on the disk before the command answers. Off is faster, and \
                  a power cut can then damage the repository.",
    },
    Key {
        name: "coord.queue",
        kind: ValueKind::Boolean,
        default: Some("true"),
        meaning: "Whether the writers of one machine queue on a file lock. It is there for speed \
                  only; switch it off on file systems without working locks.",
    },
    Key {
        name: "coord.clockSkew",
        kind: ValueKind::Duration,
        default: Some("5m"),
        meaning: "How far the newest entry may be ahead of the own clock and still count as the \
                  time. Beyond that the own clock counts, and a warning says so.",
    },
    Key {
        name: "coord.negotiation",
        kind: ValueKind::Boolean,
        default: Some("true"),
        meaning: "Whether agents ask each other to let go and send each other messages. Off loses \
                  nothing: what was said is there again when it is on.",
    },
    Key {
        name: "coord.enabled",
        kind: ValueKind::Boolean,
        default: Some("false"),
        meaning: "Whether hooks do anything in this repository. Commands work in any case.",
    },
    Key {
        name: "coord.hook.failClosed",
        kind: ValueKind::Boolean,
        default: Some("false"),
        meaning: "Whether a hook that cannot tell refuses. Otherwise it lets pass and says so in \
                  one line.",
    },
    Key {
        name: "coord.hook.people",
        kind: ValueKind::Severity,
        default: Some("warn"),
        meaning: "What git hooks do when a person, who acts under no agent's name, commits or \
                  pushes what an agent holds.",
    },
    Key {
        name: "coord.hook.shell",
        kind: ValueKind::Boolean,
        default: Some("true"),
        meaning: "Whether shell commands of agents are looked at before they run.",
    },
    Key {
        name: "coord.hook.changes",
        kind: ValueKind::Severity,
        default: Some("refuse"),
        meaning: "What happens to an agent's commit or shell command that would take along, throw \
                  away or move uncommitted changes of another agent.",
    },
    Key {
        name: "coord.hook.leftovers",
        kind: ValueKind::Severity,
        default: Some("warn"),
        meaning: "What git hooks do when an agent commits changes of an agent whose session has \
                  said that it ends.",
    },
    Key {
        name: "coord.hook.release",
        kind: ValueKind::Release,
        default: Some("turn"),
        meaning: "When a reservation that came with an edit ends before its time: with the turn or \
                  the commit, with the commit only, with the session, or not at all. With turn and \
                  session, a session that says that it ends lets go of all that it holds.",
    },
    Key {
        name: "coord.trailers",
        kind: ValueKind::Boolean,
        default: Some("false"),
        meaning: "Whether commits of agents get the trailers Coord-Agent and Coord-Fence.",
    },
    Key {
        name: "coord.recordConflicts",
        kind: ValueKind::Boolean,
        default: Some("false"),
        meaning: "Whether a reservation that is refused leaves an event 'conflict' in the ledger.",
    },
    Key {
        name: "coord.rescue.enabled",
        kind: ValueKind::Boolean,
        default: Some("true"),
        meaning: "Whether uncommitted content is saved, so that 'git coord rescue' can bring it \
                  back. It stays in this clone, and is never pushed.",
    },
    Key {
        name: "coord.rescue.maxFile",
        kind: ValueKind::Size,
        default: Some("8m"),
        meaning: "The largest file that is saved.",
    },
    Key {
        name: "coord.rescue.max",
        kind: ValueKind::Count,
        default: Some("50"),
        meaning: "How many snapshots of a worktree are kept.",
    },
    Key {
        name: "coord.rescue.keep",
        kind: ValueKind::Duration,
        default: Some("14d"),
        meaning: "How long a snapshot is kept. One with a change that its owner has lost is kept \
                  longer.",
    },
    Key {
        name: "coord.domainIndex",
        kind: ValueKind::TreePath,
        default: None,
        meaning: "A file of the repository that extends or replaces the shipped index of domains.",
    },
    Key {
        name: "coord.domainProfiles",
        kind: ValueKind::TreePath,
        default: None,
        meaning: "A directory of the repository with a profile <domain>.md for each domain; the \
                  shipped ones stand in where it has none.",
    },
    Key {
        name: "coord.agentsDirectory",
        kind: ValueKind::TreePath,
        default: Some(".claude/agents"),
        meaning: "Where the files of generated agents go.",
    },
    Key {
        name: "coord.roster",
        kind: ValueKind::Roster,
        default: None,
        meaning: "Which routed agents there are: directories with a .md file for each, separated \
                  by colons and relative to the top, or ! and a command that prints their names, \
                  run without a shell. A command counts only in your own configuration (global, \
                  system or git -c), never in that of a repository. An override of an agent that \
                  is not there is shown as orphaned.",
    },
    Key {
        name: "coord.routePrefixes",
        kind: ValueKind::Words,
        default: None,
        meaning: "Prefixes that are taken off the names of routed agents, as 'interflux: \
                  interflux:review:'.",
    },
    Key {
        name: "coord.crossCutting",
        kind: ValueKind::Words,
        default: Some("fd-architecture fd-quality fd-safety fd-correctness"),
        meaning: "Routed agents that review what cuts across everything: leaving one out takes \
                  --confirm-cross-cutting.",
    },
    Key {
        name: "coord.runGates",
        kind: ValueKind::TreePath,
        default: None,
        meaning: "A file of the repository with gates for runs that are made without --gates: for \
                  each pair of neighbouring phases that it names, in the place of the usual ones.",
    },
    Key {
        name: "color.coord",
        kind: ValueKind::Color,
        default: None,
        meaning: "When to use colour; color.ui stands in where it is not set.",
    },
    Key {
        name: "advice.coordHeld",
        kind: ValueKind::Boolean,
        default: Some("true"),
        meaning: "Hints on what to do when another agent holds what you asked for.",
    },
    Key {
        name: "advice.coordNoMatch",
        kind: ValueKind::Boolean,
        default: Some("true"),
        meaning: "The hint that a pattern matches no tracked file.",
    },
    Key {
        name: "advice.coordNotYours",
        kind: ValueKind::Boolean,
        default: Some("true"),
        meaning: "The hint on how to release what another agent holds.",
    },
];
