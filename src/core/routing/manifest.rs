//! Which files a tool may change: the question that is asked before an exported document is put
//! somewhere. Without a manifest nothing may be changed; a missing one is no permission.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::core::pattern::{Case, Pattern};

/// What people wrote down about files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Manifest {
    /// Never to be changed.
    #[serde(default)]
    pub protected_paths: Vec<Pattern>,
    /// May be changed.
    #[serde(default)]
    pub modification_allow_list: Vec<Pattern>,
    /// May be changed only after somebody agreed.
    #[serde(default)]
    pub always_propose: Vec<Pattern>,
}

/// Whether a file may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// It may.
    Allowed,
    /// It may, once somebody agreed.
    ProposeOnly,
    /// It is protected.
    Protected,
    /// Nobody allowed it.
    NotAllowed,
    /// There is no manifest to say.
    NoManifest,
}

impl Permission {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Permission::Allowed => "allowed",
            Permission::ProposeOnly => "propose_only",
            Permission::Protected => "protected",
            Permission::NotAllowed => "not_allowed",
            Permission::NoManifest => "no_manifest",
        }
    }
}

/// Whether the manifest, if there is one, lets a file be changed.
pub fn permission(manifest: Option<&Manifest>, path: &[u8], case: Case) -> Permission {
    let Some(manifest) = manifest else { return Permission::NoManifest };
    let has = |list: &[Pattern]| list.iter().any(|pattern| pattern.matcher(case).matches(path));
    if has(&manifest.protected_paths) {
        Permission::Protected
    } else if !has(&manifest.modification_allow_list) {
        Permission::NotAllowed
    } else if has(&manifest.always_propose) {
        Permission::ProposeOnly
    } else {
        Permission::Allowed
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// 1c.4: a missing manifest does not answer "not protected".
    #[test]
    fn what_is_not_allowed_is_not_allowed() {
        let manifest: Manifest = serde_json::from_value(json!({
            "protected_paths": ["**/secret.json"],
            "modification_allow_list": [".claude/**"],
            "always_propose": [".claude/agents/**"],
        }))
        .unwrap();
        let ask = |path: &str| permission(Some(&manifest), path.as_bytes(), Case::Sensitive);
        assert_eq!(ask(".claude/routing-overrides.json"), Permission::Allowed);
        assert_eq!(ask(".claude/secret.json"), Permission::Protected);
        assert_eq!(ask(".claude/agents/x.md"), Permission::ProposeOnly);
        assert_eq!(ask("src/main.rs"), Permission::NotAllowed);
        assert_eq!(permission(None, b"x", Case::Sensitive), Permission::NoManifest);
        let empty = Manifest::default();
        assert_eq!(permission(Some(&empty), b"x", Case::Sensitive), Permission::NotAllowed);
    }
}
