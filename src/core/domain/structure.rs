//! The structure that an answer rests on: the content of every manifest, and the signals of each
//! project.
//!
//! Its fingerprint names the algorithm and the list that it was taken by, so that two programs that
//! look for different signals never mistake each other's fingerprints for their own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::core::documents::ReadError;
use crate::core::domain::catalogue::Catalogue;
use crate::core::domain::source_tree::SourceTree;
use crate::core::domain::survey::{Project, Survey};

/// Raised when an equal tree and list give another structure, or an equal structure another answer.
pub const ALGORITHM: u32 = 1;

/// Paths and contents of manifests, and signals by project. The names of other structural files do
/// not count, only the signals that they show: one more scene does not change the domain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Structure {
    /// The id of the content of each manifest, by path.
    #[serde(default)]
    pub manifests: BTreeMap<String, String>,
    /// The signals of each project, by its path: `dir scenes`, `file *.tscn`.
    #[serde(default)]
    pub signals: BTreeMap<String, BTreeSet<String>>,
    /// Projects beyond the limit, if there are any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub beyond: Option<Beyond>,
}

/// Projects beyond the limit: a digest still tells whether they have changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beyond {
    /// The number of projects.
    pub projects: usize,
    /// The SHA-256 of the structure of these projects.
    pub digest: String,
}

impl Structure {
    /// Takes the structure of a tree that was surveyed.
    pub fn of(survey: &Survey, tree: &dyn SourceTree) -> Result<Structure, ReadError> {
        let mut structure = Structure::of_projects(&survey.projects, tree)?;
        if !survey.beyond.is_empty() {
            let rest = Structure::of_projects(&survey.beyond, tree)?;
            let bytes = serde_json::to_vec(&rest).expect("a structure is plain data");
            let digest = format!("{:x}", Sha256::digest(bytes));
            structure.beyond = Some(Beyond { projects: survey.beyond.len(), digest });
        }
        Ok(structure)
    }

    fn of_projects(projects: &[Project], tree: &dyn SourceTree) -> Result<Structure, ReadError> {
        let mut structure = Structure::default();
        for project in projects {
            for name in &project.manifests {
                let path = project.at(name);
                // A manifest that vanished since the survey does not exist.
                if let Some(id) = tree.content_id(&path)? {
                    structure.manifests.insert(path, id);
                }
            }
            let directories = project.directories.iter().map(|name| format!("dir {name}"));
            let files = project.files.iter().map(|pattern| format!("file {pattern}"));
            let signals: BTreeSet<String> = directories.chain(files).collect();
            if !signals.is_empty() {
                structure.signals.insert(project.shown().to_owned(), signals);
            }
        }
        Ok(structure)
    }

    /// Computes the fingerprint under a list.
    pub fn fingerprint(&self, list: &str) -> Fingerprint {
        let all = (ALGORITHM, list, self);
        let bytes = serde_json::to_vec(&all).expect("a structure is plain data");
        Fingerprint {
            algorithm: ALGORITHM,
            list: list.to_owned(),
            digest: format!("{:x}", Sha256::digest(bytes)),
        }
    }

    /// Computes the fingerprint under a catalogue.
    pub fn fingerprint_by(&self, catalogue: &Catalogue) -> Fingerprint {
        self.fingerprint(&catalogue.list_version())
    }
}

/// The name of a structure: `1:9f3c2ab1d0e4:4fa1...`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Fingerprint {
    /// The algorithm that took the structure.
    pub algorithm: u32,
    /// The name of the list of signals.
    pub list: String,
    /// The SHA-256 of the algorithm, the list and the structure.
    pub digest: String,
}

/// Text that is no fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a fingerprint")]
pub struct NotAFingerprint;

/// Digits of the name of a list.
pub const LIST_LENGTH: usize = 12;
const DIGEST_LENGTH: usize = 64;

impl Fingerprint {
    /// Returns the algorithm and the list.
    pub fn basis(&self) -> Basis {
        Basis { algorithm: self.algorithm, list: self.list.clone() }
    }
}

impl FromStr for Fingerprint {
    type Err = NotAFingerprint;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (basis, digest) = text.rsplit_once(':').ok_or(NotAFingerprint)?;
        let Basis { algorithm, list } = basis.replace(':', "-").parse()?;
        if digest.len() != DIGEST_LENGTH || !is_hex(digest) || basis.matches(':').count() != 1 {
            return Err(NotAFingerprint);
        }
        Ok(Fingerprint { algorithm, list, digest: digest.to_owned() })
    }
}

impl TryFrom<String> for Fingerprint {
    type Error = NotAFingerprint;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Fingerprint> for String {
    fn from(fingerprint: Fingerprint) -> String {
        fingerprint.to_string()
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.algorithm, self.list, self.digest)
    }
}

/// The algorithm and the list that a structure is taken by: `1-9f3c2ab1d0e4`. Each basis has its
/// own answers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Basis {
    pub algorithm: u32,
    pub list: String,
}

impl Basis {
    /// Returns the present algorithm with the list of a catalogue.
    pub fn of(catalogue: &Catalogue) -> Basis {
        Basis { algorithm: ALGORITHM, list: catalogue.list_version() }
    }
}

impl FromStr for Basis {
    type Err = NotAFingerprint;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (algorithm, list) = text.split_once('-').ok_or(NotAFingerprint)?;
        let number: u32 = algorithm.parse().map_err(|_| NotAFingerprint)?;
        if number.to_string() != algorithm || list.len() != LIST_LENGTH || !is_hex(list) {
            return Err(NotAFingerprint);
        }
        Ok(Basis { algorithm: number, list: list.to_owned() })
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.algorithm, self.list)
    }
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::domain::survey::{Purpose, survey};
    use crate::core::domain::testing::Memory;

    fn fingerprint(files: &[(&str, &str)]) -> Fingerprint {
        let (tree, catalogue) = (Memory::of(files), Catalogue::shipped());
        let survey = survey(&tree, &catalogue, Purpose::Detect).unwrap();
        Structure::of(&survey, &tree).unwrap().fingerprint_by(&catalogue)
    }

    /// 2/P1-2-collision: names and absence are part of it.
    #[test]
    fn different_structures_have_different_fingerprints() {
        let states: [&[(&str, &str)]; 7] = [
            &[("package.json", "{}"), ("Cargo.toml", "")],
            &[("package.json", ""), ("Cargo.toml", "{}")],
            &[("package.json", "{}")],
            &[("Cargo.toml", "{}")],
            &[("Cargo.toml", "")],
            &[("a/Cargo.toml", "")],
            &[],
        ];
        for (place, one) in states.iter().enumerate() {
            for other in &states[place + 1..] {
                assert_ne!(fingerprint(one), fingerprint(other), "{one:?} {other:?}");
            }
        }
    }

    /// 2/P2-2 as far as it is about the fingerprint: what other structural files are called, and
    /// how many there are, is no difference; that there are any is.
    #[test]
    fn the_name_of_a_structural_file_is_no_difference() {
        let one = fingerprint(&[("a.tscn", "1")]);
        assert_eq!(one, fingerprint(&[("b.tscn", "2"), ("c.tscn", "3")]));
        assert_ne!(one, fingerprint(&[("a.txt", "1")]));
        assert_eq!(fingerprint(&[("notes.txt", "")]), fingerprint(&[("notes.md", "")]));
    }

    /// 2/P1-2: algorithm and list stand in it.
    #[test]
    fn a_fingerprint_is_read_back_with_its_parts() {
        let one = fingerprint(&[("Cargo.toml", "")]);
        assert_eq!(one.algorithm, ALGORITHM);
        assert_eq!(one.list, Catalogue::shipped().list_version());
        assert_eq!(one.to_string().parse(), Ok(one.clone()));
        let other_list = Structure::default().fingerprint("000000000000");
        assert_ne!(other_list.digest, Structure::default().fingerprint("000000000001").digest);
        let digest = "0".repeat(64);
        for bad in ["", "1:x:y", "1:000000000000:12", "+1:000000000000:", "1-000000000000"] {
            assert!(format!("{bad}{digest}").parse::<Fingerprint>().is_err(), "{bad}");
        }
        assert_eq!(one.basis().to_string().parse(), Ok(one.basis()));
    }
}
