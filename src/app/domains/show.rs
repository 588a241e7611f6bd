//! Shows the recorded kind of the project, without a check whether it still holds.

use schemars::JsonSchema;
use serde::Serialize;

use super::profiles::{self, Profiled};
use super::view::ProjectView;
use super::{Known, known};
use crate::app::Ctx;
use crate::app::answer::{Answer, Note, Written};
use crate::app::next::command;
use crate::app::problem::{Hint, Problem};
use crate::core::domain::name::Name;

/// The answer to `domain show`.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "RecordedProject")]
pub struct Body {
    #[serde(flatten)]
    pub project: ProjectView,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub newest: Option<Written>,
    /// The profiles of its domains, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profiles: Option<Vec<ProfileView>>,
}

/// The demands of a domain's profile on a review.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Profile")]
pub struct ProfileView {
    pub domain: Name,
    /// A path in the repository, or `shipped`.
    pub from: String,
    /// The criteria of a review.
    pub criteria: Vec<String>,
    /// The names of the agents that the profile asks for.
    pub agents: Vec<Name>,
}

/// Shows the record, with the profiles of the domains if they are wanted.
pub fn show(ctx: &Ctx, with_profiles: bool) -> Result<Answer<Body>, Problem> {
    let Known { cache, newest, now } = known(ctx)?;
    let mut body = Body { project: ProjectView::from(&cache), newest, profiles: None };
    if !with_profiles {
        let warning = body.project.warning();
        return Ok(Answer::read(body, now).noting(warning));
    }
    let profiled = profiles::of(ctx, cache.domains())?;
    let notes: Vec<Note> = profiled.iter().filter_map(Profiled::warning).collect();
    if notes.len() == profiled.len() {
        let message = "none of the domains of this project has a profile";
        return Err(Problem::refused("no_profile", message)
            .with_hint(Hint::plain("to look at the project again: git coord domain detect"))
            .with_next(command(&["domain", "detect"]))
            .noting(notes));
    }
    body.profiles = Some(profiled.into_iter().filter_map(ProfileView::of).collect());
    Ok(Answer::read(body, now).noting(notes))
}

impl ProfileView {
    /// Shows a profile that can be used.
    fn of(profiled: Profiled) -> Option<ProfileView> {
        let Profiled { domain, profile, from } = profiled;
        let profile = profile.ok()?;
        let agents = profile.agents.into_iter().filter_map(|agent| Some(agent.ok()?.name));
        let agents = agents.collect();
        Some(ProfileView { domain, from, criteria: profile.criteria, agents })
    }
}
