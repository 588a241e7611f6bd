//! Shows the index of domains of this repository.

use schemars::JsonSchema;
use serde::Serialize;

use super::catalogue::catalogue;
use crate::app::Ctx;
use crate::app::answer::Answer;
use crate::app::error::AppError;
use crate::app::problem::Problem;
use crate::core::domain::catalogue::Domain;
use crate::core::domain::name::Name;
use crate::core::domain::source_tree::Which;

/// A choice of domains.
pub struct Request<'r> {
    /// All domains if absent.
    pub domain: Option<&'r Name>,
    /// The tree that has the repository's own index.
    pub which: Which,
}

/// The answer to `domain index`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "DomainIndex")]
pub struct Body {
    /// A fingerprint of the index, which changes with its content.
    pub list: String,
    pub domains: Vec<Domain>,
}

/// Shows the index, or one of its domains.
pub fn index(ctx: &Ctx, request: &Request<'_>) -> Result<Answer<Body>, Problem> {
    let catalogue = catalogue(ctx, request.which)?;
    let is_asked = |domain: &&Domain| request.domain.is_none_or(|name| domain.name == *name);
    let domains: Vec<Domain> = catalogue.domains().iter().filter(is_asked).cloned().collect();
    if let (Some(name), []) = (request.domain, domains.as_slice()) {
        let message = format!("no domain '{name}' in the index");
        return Err(AppError::nothing("no_domain", message).into());
    }
    Ok(Answer::read(Body { list: catalogue.list_version(), domains }, ctx.clock()))
}
