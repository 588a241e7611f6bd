//! The words and numbers of the contract that tests rely on, each written down once.
//!
//! A test that fails because the program spells one of these otherwise is repaired here.

/// Exit codes (CLI.md). Two is not among them: agents' hooks read it as "block".
pub(crate) mod exit {
    /// Done, free, or already so.
    pub(crate) const DONE: i32 = 0;
    /// Held by another, refused, or a check that found something.
    pub(crate) const NO: i32 = 1;
    /// The cached result is out of date.
    pub(crate) const STALE: i32 = 3;
    /// The named thing does not exist.
    pub(crate) const NOTHING: i32 = 4;
    /// Contention outlasted `coord.wait`; nothing was written.
    pub(crate) const BUSY: i32 = 5;
    /// `with` did not start its command.
    pub(crate) const NOT_STARTED: i32 = 125;
    /// I/O, a damaged ledger, a newer format.
    pub(crate) const FAILURE: i32 = 128;
    /// Wrong usage; nothing was read or written.
    pub(crate) const USAGE: i32 = 129;
    /// No command ever returns this.
    pub(crate) const NEVER: i32 = 2;
}

/// `refusal.code`.
pub(crate) mod refusal {
    pub(crate) const HELD: &str = "held";
    pub(crate) const NOT_YOURS: &str = "not_yours";
    pub(crate) const TOO_MANY: &str = "too_many";
    pub(crate) const REQUEST_MISMATCH: &str = "request_mismatch";
    pub(crate) const CHANGED: &str = "changed";
    pub(crate) const DEADLOCK: &str = "deadlock";
    pub(crate) const PHASE_CHANGED: &str = "phase_changed";
    pub(crate) const RUN_OVER: &str = "run_over";
    pub(crate) const BLOCKED: &str = "blocked";
    pub(crate) const NOT_CLASSIFIED: &str = "not_classified";
}

/// `type` of an event.
pub(crate) mod event {
    pub(crate) const GRANTED: &str = "granted";
    pub(crate) const RENEWED: &str = "renewed";
    pub(crate) const RELEASED: &str = "released";
    pub(crate) const EXPIRED: &str = "expired";
    pub(crate) const TRANSFERRED: &str = "transferred";
    pub(crate) const REVOKED: &str = "revoked";
}

/// The ledger of reservations: its name on the command line, and its ref.
pub(crate) const RESERVATIONS: &str = "reservations";
pub(crate) const RESERVATIONS_REF: &str = "refs/coord/reservations";

/// The ledger of runs: its name on the command line, and its ref.
pub(crate) const RUNS: &str = "runs";
pub(crate) const RUNS_REF: &str = "refs/coord/runs";

/// The document with ledger name, version and folding, at the root of every entry's tree.
pub(crate) const FORMAT: &str = "format";
/// The directory of local helper files, below the common git directory.
pub(crate) const LOCAL_DIR: &str = "coord";

/// Settings that tests change.
pub(crate) mod key {
    /// Lets writers of one machine queue up (speed only).
    pub(crate) const QUEUE: &str = "coord.queue";
    /// Forces writes to disk.
    pub(crate) const FSYNC: &str = "coord.fsync";
    /// The time after which a writer is busy.
    pub(crate) const WAIT: &str = "coord.wait";
}

/// Bounds (CLI.md "Limits", "For every command").
pub(crate) mod limit {
    pub(crate) const PATTERNS_PER_COMMAND: usize = 500;
    pub(crate) const HOLDS_PER_AGENT: usize = 1_000;
    pub(crate) const ROOT_WILDCARDS: usize = 256;
    pub(crate) const SEGMENTS: usize = 48;
    pub(crate) const PATTERN_BYTES: usize = 4_096;
    pub(crate) const AGENT_CHARS: usize = 64;
    pub(crate) const BRACE_ALTERNATIVES: usize = 16;
}
