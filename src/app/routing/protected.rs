//! Tells whether a manifest lets a tool change a file.

use std::ffi::OsString;

use schemars::JsonSchema;
use serde::Serialize;

use super::document::{self, Base};
use crate::app::answer::{Answer, Outcome};
use crate::app::problem::Problem;
use crate::app::{Ctx, specs};
use crate::core::pattern::Case;
use crate::core::routing::manifest::{Manifest, Permission, permission};

/// The file in question, and the manifest that decides.
pub struct Request<'r> {
    pub path: &'r OsString,
    pub manifest: &'r OsString,
}

/// The answer to `override protected`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ProtectedFile")]
pub struct Body {
    pub permission: Permission,
    /// The file from the top of the repository, for people.
    #[serde(skip)]
    pub path: Vec<u8>,
}

/// Looks a file up in the manifest; without a manifest nothing is allowed.
pub fn protected(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let paths = std::slice::from_ref(request.path);
    let path = specs::paths(ctx.repository(), paths)?.pop().unwrap_or_default();
    let manifest = match document::read(ctx, request.manifest, Base::Here) {
        Ok(bytes) => Some(
            serde_json::from_slice::<Manifest>(&bytes)
                .map_err(|error| document::bad(format!("the manifest cannot be read: {error}")))?,
        ),
        Err(error) if error.is_absence() => None,
        Err(error) => return Err(error.into()),
    };
    let permission = permission(manifest.as_ref(), &path, Case::Sensitive);
    let mut answer = Answer::read(Body { permission, path }, ctx.clock());
    if permission != Permission::Allowed {
        answer.outcome = Outcome::No;
    }
    Ok(answer)
}
