//! Repairs if asked to, and runs every check.

use super::mend::Mended;
use super::view::Body;
use super::{State, configuration, examine, git_program, hooks, in_the_way};
use crate::app::answer::{Answer, Outcome};
use crate::app::install::found::Host;
use crate::app::install::plan::ENABLED;
use crate::app::open::{Door, Pace};
use crate::app::problem::Problem;
use crate::core::boolean::parse_boolean;
use crate::core::ids::AgentName;

/// A request for all checks.
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// The agent that repairs, if the caller has named it.
    pub acting_as: Option<&'r AgentName>,
    /// Set to repair before the checks.
    pub repair: bool,
    /// Set to show the repairs and make none.
    pub dry_run: bool,
}

/// Repairs if asked to, and runs every check. Settings that do not fit are a finding of a check,
/// and their defaults count.
pub fn doctor(door: &Door, request: Request<'_>) -> Result<Answer<Body>, Problem> {
    let Request { acting_as, repair, dry_run } = request;
    let settings = door.settings();
    let mut checks = vec![git_program(door.environment())];
    checks.extend(configuration(&door.keys("coord"), settings.as_ref().err()));
    let in_the_way = in_the_way(door);
    let mut mended = Mended::default();
    if in_the_way.is_empty() {
        let ctx = door.open(acting_as, settings.unwrap_or_default(), Pace::Command)?;
        if repair {
            mended = Mended::by(&ctx, dry_run)?;
        }
        checks.extend(examine(&ctx)?);
        let enabled = door.get(ENABLED).as_deref().and_then(parse_boolean);
        checks.extend(hooks::hooks(&ctx, &Host::of(door), enabled == Some(true)));
    } else {
        checks.extend(in_the_way);
    }
    let has_fault = checks.iter().any(|check| check.state == State::Fault) || mended.leaves_some();
    let repair = repair.then(|| mended.view(dry_run));
    let answer = Answer::read(Body { checks, repair }, door.clock()?).noting(mended.notes());
    let outcome = if has_fault { Outcome::No } else { Outcome::Done };
    Ok(Answer { outcome, ..answer })
}
