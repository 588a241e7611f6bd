//! Freeing a part of a hold: the holder keeps the rest.
//!
//! A holder that answers a request, is taken from, or releases one path of a wider hold gives away
//! that path only. It becomes an exception of the hold. A hold has a limited number of exceptions;
//! beyond that the rest cannot be expressed, and the whole hold ends.

use crate::core::decision::Act;
use crate::core::ids::HoldId;
use crate::core::limits::EXCEPTIONS_MAX;
use crate::core::pattern::{Case, Pattern};
use crate::core::reservation::paths::{Comparing, Paths};
use crate::core::reservation::{Hold, Target, events, index};
use crate::core::text::Line;

/// The part of a hold that its holder keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rest {
    /// All of the hold is given away.
    Nothing,
    /// The holder keeps this.
    Kept(Box<Hold>),
    /// The rest cannot be expressed, so it is given away as well.
    Lost,
}

/// Computes the part of a hold that is left without these targets.
pub fn without(hold: &Hold, given: &[Target], by: impl Into<Comparing>) -> Rest {
    let by = by.into();
    let Target::Paths(paths) = &hold.target else { return Rest::Nothing };
    let mut left = paths.clone();
    for target in given.iter().filter_map(Target::paths) {
        let (region, own) = (target.region(by), left.region(by));
        let is_left = |except: &Pattern| Paths::from(except.clone()).region(by).meets(&own);
        if target.except.iter().any(is_left) {
            // The request leaves out a part of the hold, and exceptions have none themselves.
            if region.meets(&own) {
                return Rest::Lost;
            }
            continue;
        }
        let pattern = target.pattern.matcher(by.case);
        if region.covers(&own) || pattern.covers(&left.pattern.matcher(by.case)) {
            return Rest::Nothing;
        }
        if region.meets(&own) {
            left.except = with_exception(left.except, &target.pattern, by.case);
        }
    }
    if left.region(by).is_empty() {
        return Rest::Nothing;
    }
    if left.except.len() > EXCEPTIONS_MAX {
        return Rest::Lost;
    }
    Rest::Kept(Box::new(Hold { target: Target::Paths(left), ..hold.clone() }))
}

/// Adds an exception, in the place of those that it covers.
fn with_exception(mut except: Vec<Pattern>, added: &Pattern, case: Case) -> Vec<Pattern> {
    let matcher = added.matcher(case);
    except.retain(|pattern| !matcher.covers(&pattern.matcher(case)));
    except.push(added.clone());
    except
}

/// A hold that was freed, and the part that its holder kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freed {
    /// The hold as it was.
    pub hold: Hold,
    /// The hold as it is now; none if it has ended.
    pub rest: Option<Hold>,
}

impl Freed {
    /// Says in words what of the hold was not asked for: its holder keeps it, or it is free too.
    pub fn beyond(&self, given: &[Target], by: Comparing) -> Option<String> {
        let is_wider = |hold: &Hold| {
            let held = hold.target.reach(by);
            !given.iter().any(|target| target.reach(by).covers(&held))
        };
        let Freed { hold, rest } = self;
        match rest {
            Some(_) => Some(format!("{} keeps the rest of {}", hold.holder, hold.target)),
            None if is_wider(hold) => Some(format!("all of {} is free", hold.target)),
            None => None,
        }
    }
}

/// Lists the holds that ended.
pub fn ended(freed: &[Freed]) -> Vec<HoldId> {
    freed.iter().filter(|freed| freed.rest.is_none()).map(|freed| freed.hold.id.clone()).collect()
}

/// Lists the holds that go on without a part.
pub fn kept(freed: &[Freed]) -> Vec<HoldId> {
    freed.iter().filter_map(|freed| freed.rest.as_ref()).map(|hold| hold.id.clone()).collect()
}

/// Frees the targets from a hold. Under rules 1 the whole hold ends. `forced` is the reason if
/// somebody else than the holder does it.
pub fn free(act: &mut Act<'_>, hold: Hold, given: &[Target], forced: Option<&Line>) -> Freed {
    let rest = match without(&hold, given, act.env.comparing()) {
        Rest::Kept(rest) if act.env.rules >= 2 => Some(*rest),
        Rest::Kept(_) | Rest::Nothing | Rest::Lost => None,
    };
    if let Some(rest) = &rest {
        index::put(act, rest);
        events::narrowed(act, rest, given, forced);
    } else {
        index::remove(act, &hold);
        events::released(act, &hold, forced);
    }
    Freed { hold, rest }
}

/// Tells whether freeing the targets would end the hold although it reaches beyond them.
pub fn loses_rest(hold: &Hold, given: &[Target], by: Comparing) -> bool {
    without(hold, given, by) == Rest::Lost
}
