//! Permission to change files: asked before an exported document is written somewhere. Without a
//! manifest nothing may be changed; a missing manifest is no permission.

use serde::Deserialize;

use crate::core::pattern::{Case, Pattern};
use crate::core::words::words;

/// The rules about files that people wrote down.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Manifest {
    /// Files that must never be changed.
    #[serde(default)]
    pub protected_paths: Vec<Pattern>,
    /// Files that may be changed.
    #[serde(default)]
    pub modification_allow_list: Vec<Pattern>,
    /// Files that may be changed only after somebody agreed.
    #[serde(default)]
    pub always_propose: Vec<Pattern>,
}

words! {
    /// The permission to change a file.
    pub enum Permission {
        /// The file may be changed.
        Allowed = "allowed",
        /// The file may be changed once somebody agreed.
        ProposeOnly = "propose_only",
        /// The file must not be changed.
        Protected = "protected",
        /// No rule allows to change the file.
        NotAllowed = "not_allowed",
        /// There is no manifest.
        NoManifest = "no_manifest",
    }
}

/// Tells whether the manifest, if there is one, allows to change a file.
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
