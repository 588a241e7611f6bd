//! Saves uncommitted content before a git that somebody runs in a terminal goes on.
//!
//! Git calls `core.fsmonitor` when it reads the index, before it touches a file. That is the only
//! moment at which work can be saved that a person's command throws away.

use super::keep::{self, Kept, Occasion};
use crate::app::Ctx;
use crate::app::error::AppError;
use crate::app::next::in_shell;
use crate::app::open::Door;
use crate::core::ownership::Note;
use crate::core::rescue::Why;
use crate::core::shell::joined;
use crate::core::shell::pathspec::Place;
use crate::core::shell::running::throws_away;
use crate::core::shell::verbs::Facts;
use crate::store::git::program;
use crate::store::os::process::words_above;
use crate::store::rescue::edits::EDIT_BYTES_MAX;

const GIT: &str = "git";
/// Is set for each git that this program calls.
pub const INNER_VARIABLE: &str = program::INNER_VARIABLE;

/// Names the directory that git was called from, below the top of the work tree.
const PREFIX_VARIABLE: &str = "GIT_PREFIX";

/// A git that waits until this process has ended.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Its words; empty if they cannot be found out.
    words: Vec<String>,
    /// Set if it throws uncommitted work away.
    pub throws_away: bool,
}

impl Caller {
    /// Looks at the git that has called this process.
    pub fn find(ctx: &Ctx, door: &Door) -> Caller {
        let words = words_above(GIT).unwrap_or_default();
        let throws_away = ctx.repository().work_tree().is_some_and(|tree| {
            let prefix = ctx.environment.text(PREFIX_VARIABLE).unwrap_or_default();
            let directory = joined(&tree.top, prefix);
            let facts = Facts {
                place: Place { top: tree.top.clone(), directory: directory.clone() },
                branch: ctx.repository().branch().map(|branch| branch.as_str().to_owned()),
                is_path: &|typed| joined(&directory, typed).symlink_metadata().is_ok(),
                is_directory: &|typed| joined(&directory, typed).is_dir(),
                config: &|key| door.get(key),
            };
            throws_away(&words, &facts)
        });
        Caller { words, throws_away }
    }
}

/// Saves everything that no commit has if the caller throws work away. Otherwise saves what agents
/// have changed, if a file is not as its last edit left it.
pub fn keep(ctx: &Ctx, caller: &Caller) -> Result<Option<Kept>, AppError> {
    let occasion = Occasion::of(Why::Terminal);
    if caller.throws_away {
        // A git that runs another names it by its whole path.
        let arguments = caller.words.iter().skip(1).cloned();
        let words: Vec<String> = std::iter::once(GIT.to_owned()).chain(arguments).collect();
        let command = in_shell(&words);
        return keep::uncommitted(ctx, Occasion { command: Some(&command), ..occasion }, |_| true);
    }
    let is_worth_it = ctx.notes().all()?.iter().any(|note| differs(ctx, note));
    if is_worth_it { keep::noted(ctx, occasion) } else { Ok(None) }
}

/// Tells whether a file may have content that the edits have not saved.
fn differs(ctx: &Ctx, note: &Note) -> bool {
    let Some(path) = note.path.literal_path().filter(|_| keep::is_owned(note)) else {
        return false;
    };
    let now = ctx.repository().as_left(&path);
    note.left != Some(now) || now.bytes > EDIT_BYTES_MAX
}
