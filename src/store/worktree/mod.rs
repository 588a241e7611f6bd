//! The user's files: read for checks and for the kind of the project, and written only if the user
//! asks for a file.
//!
//! - [`changes`] lists the changes of the user's commits and pushes;
//! - [`content`] reads the content of paths, in the work tree and in the newest commit;
//! - [`restoring`] writes saved content back;
//! - [`uncommitted`] lists the uncommitted changes;
//! - [`sources`] lists the files of the work tree, of the index, or of a commit;
//! - [`path_resolution`] resolves the destination of a path;
//! - [`files`] reads and replaces single files.

pub mod changes;
pub mod content;
pub mod files;
pub mod path_resolution;
pub mod restoring;
pub mod sources;
mod status;
pub mod uncommitted;
