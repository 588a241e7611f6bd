//! The text for a scope, which several commands about overrides print.

use crate::core::pattern::Pattern;
use crate::core::routing::Override;
use crate::core::text::shown;

/// Describes the scope of an override, unless it counts everywhere.
pub(super) fn scope_text(entry: &Override) -> Option<String> {
    let scope = entry.scope.as_ref()?;
    let domains = scope.domains.iter().map(|domain| shown(domain.as_str()).into_owned());
    let patterns = scope.file_patterns.iter().map(Pattern::shown);
    let names: Vec<String> = domains.chain(patterns).collect();
    (!names.is_empty()).then(|| format!("only for: {}", names.join(", ")))
}
