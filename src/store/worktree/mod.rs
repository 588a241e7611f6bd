//! The user's files: read for checks and for the kind of the project, and written only where the
//! user asks for a file.
//!
//! - [`changes`] lists what commits and pushes of the user change;
//! - [`sources`] lists the files of the work tree, of the index, or of a commit;
//! - [`path_resolution`] resolves where a path leads;
//! - [`files`] reads and replaces single files.

pub mod changes;
pub mod files;
pub mod path_resolution;
pub mod sources;
mod status;
