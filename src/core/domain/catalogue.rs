//! The catalogue of domains and of the signals that identify each of them. It is shipped as data,
//! and a file of the repository can extend or replace it; users know it as the domain index.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::core::domain::confidence::Confidence;
use crate::core::domain::manifest;
use crate::core::domain::name::Name;
use crate::core::domain::name_pattern::{NamePattern, is_plain_path};
use crate::core::domain::structure::LIST_LENGTH;

/// The catalogue that comes with the program.
const SHIPPED: &str = include_str!("catalogue.toml");

/// Most bytes of a catalogue file.
pub const CATALOGUE_BYTES_MAX: u64 = 256 * 1024;
/// Most domains of a catalogue.
const DOMAINS_MAX: usize = 100;
/// Most signals of one kind.
const SIGNALS_MAX: usize = 100;
/// Most bytes of a directory, framework or keyword.
const SIGNAL_BYTES_MAX: usize = 200;

/// Files that are structural although no domain lists them: they come with a tool whose other files
/// are listed, and are often all that is there.
const ALWAYS_STRUCTURAL: [&str; 17] = [
    "*.tres",
    "*.godot",
    "*.prefab",
    "*.asset",
    "*.uasset",
    "*.cs",
    "*.hlsl",
    "*.glsl",
    "*.wgsl",
    "*.asm",
    "*.s",
    "*.ld",
    "*.dts",
    "*.dtsi",
    "*.xcodeproj",
    "*.storyboard",
    "*.xib",
];

/// A domain and the signals that identify it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Domain {
    /// The name of the domain.
    pub name: Name,
    /// The confidence from which on a project belongs to the domain.
    #[serde(default = "usual_threshold")]
    pub min_confidence: Confidence,
    /// Names of directories at a project's top, or paths from there.
    #[serde(default)]
    pub directories: Vec<String>,
    /// Files at a project's top or one level below it.
    #[serde(default)]
    pub files: Vec<NamePattern>,
    /// Frameworks that its manifests depend on.
    #[serde(default)]
    pub frameworks: Vec<String>,
    /// Words that occur in its sources.
    #[serde(default)]
    pub keywords: Vec<String>,
}

fn usual_threshold() -> Confidence {
    Confidence::from_hundredths(30)
}

/// A catalogue file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct CatalogueFile {
    /// Replaces the shipped catalogue instead of extending it.
    #[serde(default)]
    replace: bool,
    /// Directories that a survey never enters.
    #[serde(default)]
    skip: BTreeSet<String>,
    /// Files that make a directory a project, besides manifests.
    #[serde(default)]
    markers: BTreeSet<NamePattern>,
    #[serde(default, rename = "domain")]
    domains: Vec<Domain>,
}

/// The catalogue in effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Catalogue {
    skip: BTreeSet<String>,
    markers: BTreeSet<NamePattern>,
    domains: Vec<Domain>,
}

/// The reason why a text is no catalogue.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCatalogue {
    /// Not UTF-8, not TOML, or not of this form.
    #[error("{0}")]
    Malformed(String),
    /// A domain that is listed twice.
    #[error("domain '{0}' stands there twice")]
    Twice(Name),
    /// A text that cannot be a signal.
    #[error("domain '{domain}': '{signal}' cannot be a signal")]
    Signal { domain: Name, signal: String },
    /// More than a survey can take.
    #[error("{what}: {count}, at most {max} are allowed")]
    TooMany { what: &'static str, count: usize, max: usize },
}

impl Catalogue {
    /// Returns the catalogue that comes with the program.
    pub fn shipped() -> Catalogue {
        let file =
            CatalogueFile::parse(SHIPPED.as_bytes()).expect("a test reads the shipped catalogue");
        let CatalogueFile { skip, markers, domains, .. } = file;
        Catalogue { skip, markers, domains }
    }

    /// Extends the shipped catalogue by a file: a domain of the same name replaces the shipped one,
    /// other domains come before all of them. A file that says `replace = true` stands alone.
    pub fn extended(bytes: &[u8]) -> Result<Catalogue, BadCatalogue> {
        let CatalogueFile { replace, skip, markers, domains } = CatalogueFile::parse(bytes)?;
        if replace {
            return Ok(Catalogue { skip, markers, domains });
        }
        let mut catalogue = Catalogue::shipped();
        catalogue.skip.extend(skip);
        catalogue.markers.extend(markers);
        let mut added = Vec::new();
        for domain in domains {
            match catalogue.domains.iter_mut().find(|shipped| shipped.name == domain.name) {
                Some(shipped) => *shipped = domain,
                None => added.push(domain),
            }
        }
        added.append(&mut catalogue.domains);
        catalogue.domains = added;
        Ok(catalogue)
    }

    /// Returns the domains, the more special ones first.
    pub fn domains(&self) -> &[Domain] {
        &self.domains
    }

    /// Tells whether a survey does not enter a directory of that name. It enters no hidden one.
    pub fn skips(&self, directory: &str) -> bool {
        directory.starts_with('.') || self.skip.contains(directory)
    }

    /// Returns the files that make a directory a project, besides manifests.
    pub fn markers(&self) -> impl Iterator<Item = &NamePattern> {
        self.markers.iter()
    }

    /// Returns every structural file, one whose coming or going can change the answer: the file
    /// signals of all domains, the markers, and the files that are always structural.
    pub fn structural_files(&self) -> BTreeSet<NamePattern> {
        let always = ALWAYS_STRUCTURAL
            .map(|text| NamePattern::try_from(text.to_owned()).expect("a test reads this list"));
        let of_domains = self.domains.iter().flat_map(|domain| &domain.files);
        of_domains.chain(&self.markers).cloned().chain(always).collect()
    }

    /// Returns every structural directory, one whose coming or going can change the answer.
    pub fn structural_directories(&self) -> BTreeSet<&str> {
        let of_domains = self.domains.iter().flat_map(|domain| &domain.directories);
        of_domains.map(String::as_str).collect()
    }

    /// Computes the name of this list. Every difference in the signals that a survey looks for
    /// gives another name.
    pub fn list_version(&self) -> String {
        let all = (self, self.structural_files(), manifest::NAMES);
        let bytes = serde_json::to_vec(&all).expect("an index is plain data");
        let mut digest = format!("{:x}", Sha256::digest(bytes));
        digest.truncate(LIST_LENGTH);
        digest
    }
}

impl CatalogueFile {
    fn parse(bytes: &[u8]) -> Result<CatalogueFile, BadCatalogue> {
        let text = std::str::from_utf8(bytes)
            .map_err(|error| BadCatalogue::Malformed(format!("not UTF-8: {error}")))?;
        let file: CatalogueFile = toml::from_str(text).map_err(|error| {
            let message = error.to_string();
            let lines: Vec<&str> = message.lines().map(str::trim).collect();
            BadCatalogue::Malformed(lines.join(" "))
        })?;
        within("domains", file.domains.len(), DOMAINS_MAX)?;
        within("skipped directories", file.skip.len(), SIGNALS_MAX)?;
        within("markers", file.markers.len(), SIGNALS_MAX)?;
        let mut names = BTreeSet::new();
        for domain in &file.domains {
            if !names.insert(&domain.name) {
                return Err(BadCatalogue::Twice(domain.name.clone()));
            }
            domain.check()?;
        }
        Ok(file)
    }
}

impl Domain {
    fn check(&self) -> Result<(), BadCatalogue> {
        let Domain { name, directories, files, frameworks, keywords, .. } = self;
        for count in [directories.len(), files.len(), frameworks.len(), keywords.len()] {
            within("signals of one sort", count, SIGNALS_MAX)?;
        }
        let signal = |text: &String| BadCatalogue::Signal {
            domain: name.clone(),
            signal: text.chars().take(80).collect(),
        };
        let is_sound = |text: &&String| !text.trim().is_empty() && text.len() <= SIGNAL_BYTES_MAX;
        if let Some(bad) = [frameworks, keywords].into_iter().flatten().find(|s| !is_sound(s)) {
            return Err(signal(bad));
        }
        let is_path = |text: &&String| is_sound(text) && is_plain_path(text);
        directories.iter().find(|text| !is_path(text)).map_or(Ok(()), |bad| Err(signal(bad)))
    }
}

fn within(what: &'static str, count: usize, max: usize) -> Result<(), BadCatalogue> {
    if count > max { Err(BadCatalogue::TooMany { what, count, max }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED_FOR: [&str; 11] = [
        "game-simulation",
        "ml-pipeline",
        "web-api",
        "cli-tool",
        "mobile-app",
        "embedded-systems",
        "data-pipeline",
        "library-sdk",
        "tui-app",
        "desktop-tauri",
        "claude-code-plugin",
    ];

    #[test]
    fn the_shipped_index_has_every_domain_with_its_threshold() {
        let catalogue = Catalogue::shipped();
        for name in ASKED_FOR {
            let domain = catalogue.domains().iter().find(|domain| domain.name.as_str() == name);
            let domain = domain.unwrap_or_else(|| panic!("no '{name}'"));
            let threshold = if name == "claude-code-plugin" { 35 } else { 30 };
            assert_eq!(domain.min_confidence.hundredths(), threshold, "{name}");
            assert!(!domain.directories.is_empty() && !domain.files.is_empty(), "{name}");
            assert!(!domain.frameworks.is_empty() && !domain.keywords.is_empty(), "{name}");
        }
        assert_eq!(catalogue.domains().len(), ASKED_FOR.len());
    }

    /// 2/P2-1: there is one list. What a domain looks for is structural, and a signal that is
    /// added is structural from then on, under another version of the list.
    #[test]
    fn every_file_signal_is_structural_and_a_new_one_changes_the_list() {
        let shipped = Catalogue::shipped();
        let structural = shipped.structural_files();
        for pattern in shipped.domains().iter().flat_map(|domain| &domain.files) {
            assert!(structural.contains(pattern), "{pattern}");
        }
        for always in ALWAYS_STRUCTURAL {
            assert!(structural.iter().any(|pattern| pattern.as_str() == always), "{always}");
        }
        let more = b"[[domain]]\nname = \"quantum\"\nfiles = [\"*.qasm\"]\n";
        let extended = Catalogue::extended(more).unwrap();
        let came: Vec<_> = extended.structural_files().difference(&structural).cloned().collect();
        assert_eq!(came.len(), 1);
        assert_eq!(came[0].as_str(), "*.qasm");
        assert_ne!(extended.list_version(), shipped.list_version());
    }

    #[test]
    fn a_file_extends_or_replaces() {
        let add = "[[domain]]\nname = \"web-api\"\nkeywords = [\"soap\"]\n\
                   [[domain]]\nname = \"quantum\"\nframeworks = [\"qiskit\"]\n";
        let extended = Catalogue::extended(add.as_bytes()).unwrap();
        assert_eq!(extended.domains().len(), ASKED_FOR.len() + 1);
        assert_eq!(extended.domains()[0].name.as_str(), "quantum");
        let web = extended.domains().iter().find(|domain| domain.name.as_str() == "web-api");
        assert_eq!(web.unwrap().keywords, ["soap"]);
        let alone = format!("replace = true\n{add}");
        assert_eq!(Catalogue::extended(alone.as_bytes()).unwrap().domains().len(), 2);
    }

    #[test]
    fn a_slip_is_named() {
        for (text, part) in [
            ("[[domain]]\nname = \"a\"\nkeyword = []", "keyword"),
            ("[[domain]]\nname = \"A b\"", "not a name"),
            ("[[domain]]\nname = \"a\"\n[[domain]]\nname = \"a\"", "twice"),
            ("[[domain]]\nname = \"a\"\nfiles = [\"../x\"]", "no file signal"),
            ("[[domain]]\nname = \"a\"\ndirectories = [\"/etc\"]", "cannot be a signal"),
            ("[[domain]]\nname = \"a\"\nmin_confidence = 7", "not a confidence"),
            ("nonsense", "expected"),
        ] {
            let error = Catalogue::extended(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(part), "{text:?}: {error}");
        }
        assert!(Catalogue::extended(b"\xff").is_err());
    }
}
