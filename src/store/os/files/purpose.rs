//! The purposes of new files.

/// The purpose of a new file: determines its mode, and whether it must survive a power cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Never changed again: read-only, and on disk when the call returns.
    Immutable,
    /// State that will be replaced one day: writable, and on disk when the call returns.
    State,
    /// A helper file whose loss loses nothing: writable, and not synced.
    Helper,
    /// A helper file with content of the user's, which nobody else may read.
    Private,
}

impl Purpose {
    /// Returns the permissions of a new file, before those that the user takes away.
    pub(super) fn mode(self) -> u32 {
        match self {
            Purpose::Immutable => 0o444,
            Purpose::State | Purpose::Helper => 0o666,
            Purpose::Private => 0o600,
        }
    }
}
