//! The profile of a domain: the repository's own, or the one that comes with the program.
//!
//! Everybody who reads profiles asks here, so that a domain without one is the same to all of them.

use crate::app::Ctx;
use crate::app::error::AppError;
use crate::core::domain::detection::Found;
use crate::core::domain::name::Name;
use crate::core::domain::profile::{self, PROFILE_BYTES_MAX, Profile};
use crate::core::domain::survey::SourceTree;
use crate::store::sources::Which;

/// A domain with its profile.
#[derive(Clone, Debug)]
pub struct Profiled {
    /// The domain.
    pub domain: Name,
    /// Its profile; none if there is none.
    pub profile: Option<Profile>,
    /// Where it is: a path in the repository, or `shipped`.
    pub from: String,
}

/// The profiles of domains. Says so where none of them has one.
pub fn of(ctx: &Ctx, domains: &[Found]) -> Result<Vec<Profiled>, AppError> {
    let tree = match &ctx.settings().domains.profiles {
        Some(_) => Some(ctx.sources(Which::Usual)?),
        None => None,
    };
    let mut profiled = Vec::new();
    for Found { name, .. } in domains {
        let found = find(ctx, tree.as_deref(), name)?;
        let (profile, from) =
            found.map_or((None, String::new()), |(text, from)| (Some(profile::parse(&text)), from));
        profiled.push(Profiled { domain: name.clone(), profile, from });
    }
    Ok(profiled)
}

fn find(
    ctx: &Ctx,
    tree: Option<&dyn SourceTree>,
    domain: &Name,
) -> Result<Option<(String, String)>, AppError> {
    if let (Some(tree), Some(directory)) = (tree, &ctx.settings().domains.profiles) {
        let path = format!("{directory}/{domain}.md");
        if let Some(bytes) = tree.read(&path, PROFILE_BYTES_MAX)? {
            return Ok(Some((String::from_utf8_lossy(&bytes).into_owned(), path)));
        }
    }
    Ok(profile::shipped(domain).map(|text| (text.to_owned(), "shipped".to_owned())))
}
