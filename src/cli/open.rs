//! From a parsed command line to the [`Ctx`] that requests are answered with.

use super::dispatch::Context;
use crate::app::Ctx;
use crate::app::problem::Problem;

/// Opens the repository that the command is about.
pub(crate) fn open(context: &Context<'_>) -> Result<Ctx, Problem> {
    context.open()
}
