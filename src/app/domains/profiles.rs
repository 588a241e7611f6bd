//! The profile of a domain: the repository's own, or the one that comes with the program.
//!
//! All readers of profiles use this file, so that they agree on domains without one.

use crate::app::Ctx;
use crate::app::answer::Note;
use crate::app::error::AppError;
use crate::core::domain::detection::Found;
use crate::core::domain::name::Name;
use crate::core::domain::profile::{self, PROFILE_BYTES_MAX, Profile};
use crate::core::domain::source_tree::{SourceTree, Which, Whole};

/// A domain with its profile.
#[derive(Clone, Debug)]
pub struct Profiled {
    pub domain: Name,
    /// Its profile, or the reason why there is none.
    pub profile: Result<Profile, String>,
    /// The path in the repository, or `shipped`.
    pub from: String,
}

impl Profiled {
    /// Warns if it has no profile.
    pub(super) fn warning(&self) -> Option<Note> {
        self.profile.as_ref().err().map(|why| left_out(&self.domain, why))
    }
}

/// Warns of a domain without a profile.
pub(super) fn left_out(domain: &Name, why: &str) -> Note {
    Note::warning(format!("{why}; '{domain}' is left out"))
}

/// Finds the profiles of domains.
pub fn of(ctx: &Ctx, domains: &[Found]) -> Result<Vec<Profiled>, AppError> {
    let tree = match &ctx.settings().domains.profiles {
        Some(_) => Some(ctx.sources(Which::Usual)?),
        None => None,
    };
    domains.iter().map(|found| find(ctx, tree.as_deref(), &found.name)).collect()
}

/// Finds the profile of a domain. A profile of the repository that cannot be used is not replaced
/// by the shipped one, because nobody would notice the fault.
fn find(ctx: &Ctx, tree: Option<&dyn SourceTree>, domain: &Name) -> Result<Profiled, AppError> {
    let profiled = |profile: Result<&str, String>, from: &str| Profiled {
        domain: domain.clone(),
        profile: profile.map(profile::parse),
        from: from.to_owned(),
    };
    if let (Some(tree), Some(directory)) = (tree, &ctx.settings().domains.profiles) {
        let path = format!("{directory}/{domain}.md");
        let found = match tree.read_whole(&path, PROFILE_BYTES_MAX)? {
            Whole::Absent => None,
            Whole::Bytes(bytes) => Some(Ok(String::from_utf8_lossy(&bytes).into_owned())),
            Whole::NoFile => Some(Err(format!("'{path}' is no file; links are not followed"))),
            Whole::TooLong => {
                Some(Err(format!("'{path}' is longer than {PROFILE_BYTES_MAX} bytes")))
            }
        };
        if let Some(found) = found {
            return Ok(profiled(found.as_deref().map_err(Clone::clone), &path));
        }
    }
    let missing = || format!("there is no profile of '{domain}'");
    Ok(profiled(profile::shipped(domain).ok_or_else(missing), "shipped"))
}
