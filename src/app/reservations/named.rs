//! Reads the words that people type for reservations, and finds the holds of others that the caller
//! acts on, before they are recorded: an act on others must mean the same on every state.

use std::ffi::OsString;
use std::slice;

use crate::app::error::AppError;
use crate::app::path_facts::path_facts;
use crate::app::{Ctx, specs};
use crate::core::ids::{HoldId, HoldIdPrefix};
use crate::core::pattern::Pattern;
use crate::core::reservation::select::{self, Named, Selection};
use crate::core::reservation::word::{Meant, Wider, Word, meant};
use crate::core::reservation::{Hold, index};

/// Turns an id into a prefix.
pub fn prefix(id: &HoldId) -> HoldIdPrefix {
    id.as_str().parse().expect("an id is the beginning of itself")
}

/// The words that were typed for reservations.
#[derive(Default)]
pub struct Words {
    pub words: Vec<Word>,
    /// The patterns of all words.
    pub patterns: Vec<Pattern>,
}

/// Reads the words that were typed for reservations. Each of them is a path, and some could be the
/// beginning of an id, too.
pub fn words(ctx: &Ctx, typed: &[OsString]) -> Result<Words, AppError> {
    let mut read = Words::default();
    for typed in typed {
        let id: Option<HoldIdPrefix> = typed.to_str().and_then(|word| word.parse().ok());
        let patterns = match specs::named(ctx.repository(), slice::from_ref(typed)) {
            Ok(patterns) => patterns,
            // An id is one also where no path can be.
            Err(_) if id.is_some() => Vec::new(),
            Err(error) => return Err(error),
        };
        read.patterns.extend(patterns.iter().cloned());
        let id = id.map(|id| whole(ctx, id, &patterns)).transpose()?.flatten();
        read.words.push(Word { patterns, id });
    }
    specs::keep_bound(read.patterns.len())?;
    Ok(read)
}

/// Completes the beginning of an id, because an entry has to mean the same hold on every state.
/// Returns none for one that fits nothing if the word can be a path. Leaves it as it is where it
/// could mean several holds, or a path that is there.
fn whole(
    ctx: &Ctx,
    id: HoldIdPrefix,
    patterns: &[Pattern],
) -> Result<Option<HoldIdPrefix>, AppError> {
    let found = index::with_prefix(&ctx.read()?.base.snapshot, &id)?;
    let is_whole = || id.as_str().parse::<HoldId>().is_ok();
    Ok(match found.as_slice() {
        [] if !patterns.is_empty() && !is_whole() => None,
        [only] => {
            let facts = path_facts(ctx.repository(), patterns);
            let is_there = patterns.iter().any(|pattern| !facts.new.contains(pattern));
            Some(if is_there { id } else { prefix(only) })
        }
        _ => Some(id),
    })
}

/// Finds the holds of other agents that a selection means now.
pub fn of_others(ctx: &Ctx, which: &Selection) -> Result<Vec<HoldId>, AppError> {
    let reading = ctx.read()?;
    let documents = &reading.base.snapshot;
    let how = (reading.case.into(), Wider::Counts);
    let Meant { which, .. } = meant(documents, which, how, reading.now, |_| true)?;
    let mut holds = Vec::new();
    for found in select::by_ids(documents, &which.ids)? {
        if let Named::Hold(hold) = found {
            holds.push(*hold);
        }
    }
    for name in &which.locks {
        holds.extend(select::by_lock(documents, name)?);
    }
    let by_path = select::by_paths(documents, &which, reading.case, |_| true)?;
    holds.extend(by_path.inside.into_iter().chain(by_path.wider));
    holds.retain(|hold: &Hold| !ctx.actor().covers(&hold.holder));
    Ok(select::once(holds).into_iter().map(|hold| hold.id).collect())
}
