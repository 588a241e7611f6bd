//! The plugin beside `install`: with both, Claude Code calls us twice at each event.

use crate::app::Ctx;
use crate::app::install::found::{self, Host};
use crate::app::install::handlers::Handler;
use crate::app::install::settings::Settings;
use crate::core::environment::Environment;

/// The variable that Claude Code sets for the hooks of a plugin only.
const PLUGIN: &str = "CLAUDE_PLUGIN_ROOT";

/// Tells whether this is the call of a plugin, and the settings of the work tree or of the user
/// have one of their own at the event. Settings that cannot be read have none.
pub fn is_called_besides(ctx: &Ctx, environment: &Environment, event: &str) -> bool {
    if environment.non_empty(PLUGIN).is_none() {
        return false;
    }
    let host = Host { home: environment.path("HOME"), ..Host::default() };
    let sources = found::claude_sources(ctx, &host).unwrap_or_default();
    let mut settings = sources.iter().filter_map(|(_, content)| Settings::read(content).ok());
    settings.any(|settings| settings.handlers(event, None).iter().any(Handler::calls_us))
}
