//! The score of a project for a domain.
//!
//! A confidence is the weighted share of a domain's signals that a project shows: directories 0.3,
//! files 0.2, frameworks 0.3, keywords 0.2, rounded to two decimals. Four rules identify ordinary
//! projects and rule out chance matches (see the decision record on domains):
//!
//! - the lists name alternatives, so two of a list are as good as all of it, and one is half;
//! - a framework is declared and not guessed, so one counts for two thirds: together with a file, a
//!   directory or a word it is enough;
//! - an empty list hands its weight on to the others;
//! - one signal is never enough, and neither are directories alone or keywords alone.

use std::collections::BTreeSet;

use crate::core::documents::ReadError;
use crate::core::domain::catalogue::Domain;
use crate::core::domain::confidence::Confidence;
use crate::core::domain::manifest::normalized;
use crate::core::domain::name_pattern::NamePattern;

const DIRECTORIES_WEIGHT: u32 = 30;
const FILES_WEIGHT: u32 = 20;
const FRAMEWORKS_WEIGHT: u32 = 30;
const KEYWORDS_WEIGHT: u32 = 20;

/// The number of signals of a list that are as good as all of it.
const ENOUGH: usize = 2;
/// Sixths of its weight that one signal of a longer list counts for.
const ONE_OF_SEVERAL: u32 = 3;
/// Sixths of its weight that one framework of a longer list counts for.
const ONE_FRAMEWORK: u32 = 4;
/// Sixths of a whole weight.
const WHOLE: u32 = 6;
/// The least number of signals that prove anything.
const SIGNALS_MIN: usize = 2;

/// The signals that a project shows.
pub struct Evidence<'a> {
    /// The directories of the catalogue that it has.
    pub directories: &'a BTreeSet<String>,
    /// The file patterns of the catalogue that it matches.
    pub files: &'a BTreeSet<String>,
    /// The dependencies of its manifests, as [`normalized`] names.
    pub frameworks: &'a BTreeSet<String>,
    /// Reads the text of its sources, in lower case; called only if it counts.
    pub sources: &'a dyn Fn() -> Result<&'a str, ReadError>,
}

/// The score of a project for a domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    pub confidence: Confidence,
    /// The signals that it rests on: `dir scenes`, `file *.tscn`, `framework bevy`, `keyword
    /// sprite`.
    pub signals: Vec<String>,
}

/// Scores a project for a domain. Returns `None` if it does not belong to the domain.
pub fn score(domain: &Domain, evidence: &Evidence<'_>) -> Result<Option<Score>, ReadError> {
    let mut seen = Seen {
        directories: shown(&domain.directories, |name| evidence.directories.contains(name)),
        files: domain
            .files
            .iter()
            .map(NamePattern::as_str)
            .filter(|pattern| evidence.files.contains(*pattern))
            .collect(),
        frameworks: shown(&domain.frameworks, |name| {
            evidence.frameworks.contains(&normalized(name))
        }),
        keywords: Vec::new(),
    };
    // Reads sources only if the other signals do not decide.
    if !seen.is_enough(domain) && !domain.keywords.is_empty() {
        let sources = (evidence.sources)()?;
        seen.keywords = shown(&domain.keywords, |word| sources.contains(&word.to_lowercase()));
    }
    Ok(seen
        .is_enough(domain)
        .then(|| Score { confidence: seen.confidence(domain), signals: seen.signals() }))
}

fn shown(listed: &[String], is_shown: impl Fn(&str) -> bool) -> Vec<&str> {
    listed.iter().map(String::as_str).filter(|signal| is_shown(signal)).collect()
}

/// The signals of a domain that the project shows.
#[derive(Default)]
struct Seen<'d> {
    directories: Vec<&'d str>,
    files: Vec<&'d str>,
    frameworks: Vec<&'d str>,
    keywords: Vec<&'d str>,
}

impl Seen<'_> {
    fn confidence(&self, domain: &Domain) -> Confidence {
        let parts = [
            (DIRECTORIES_WEIGHT, self.directories.len(), domain.directories.len(), ONE_OF_SEVERAL),
            (FILES_WEIGHT, self.files.len(), domain.files.len(), ONE_OF_SEVERAL),
            (FRAMEWORKS_WEIGHT, self.frameworks.len(), domain.frameworks.len(), ONE_FRAMEWORK),
            (KEYWORDS_WEIGHT, self.keywords.len(), domain.keywords.len(), ONE_OF_SEVERAL),
        ];
        let (mut reached, mut whole) = (0, 0);
        for (weight, seen, listed, one) in parts.into_iter().filter(|(.., listed, _)| *listed > 0) {
            reached += weight
                * match seen {
                    0 => 0,
                    seen if seen >= listed.min(ENOUGH) => WHOLE,
                    _ => one,
                };
            whole += weight * WHOLE;
        }
        let hundredths = if whole == 0 { 0 } else { (reached * 200 + whole) / (whole * 2) };
        Confidence::from_hundredths(hundredths)
    }

    fn is_enough(&self, domain: &Domain) -> bool {
        let Seen { directories, files, frameworks, keywords } = self;
        let declared = files.len() + frameworks.len();
        let kinds = usize::from(!directories.is_empty()) + usize::from(!keywords.is_empty());
        let count = declared + directories.len() + keywords.len();
        count >= SIGNALS_MIN
            && (declared > 0 || kinds > 1)
            && self.confidence(domain) >= domain.min_confidence
    }

    fn signals(&self) -> Vec<String> {
        let named = |sort: &'static str, found: &[&str]| -> Vec<String> {
            found.iter().map(|signal| format!("{sort} {signal}")).collect()
        };
        [
            named("dir", &self.directories),
            named("file", &self.files),
            named("framework", &self.frameworks),
            named("keyword", &self.keywords),
        ]
        .concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::domain::catalogue::Catalogue;

    fn domain(text: &str) -> Domain {
        let text = format!("replace = true\n[[domain]]\nname = \"x\"\n{text}");
        Catalogue::extended(text.as_bytes()).unwrap().domains()[0].clone()
    }

    fn scored(domain: &Domain, signals: &[&str], sources: &str) -> Option<(u32, usize)> {
        let of = |sort: &str| -> BTreeSet<String> {
            signals
                .iter()
                .filter_map(|signal| signal.strip_prefix(sort))
                .map(str::to_owned)
                .collect()
        };
        let evidence = Evidence {
            directories: &of("dir "),
            files: &of("file "),
            frameworks: &of("framework "),
            sources: &|| Ok(sources),
        };
        let score = score(domain, &evidence).unwrap();
        score.map(|score| (score.confidence.hundredths(), score.signals.len()))
    }

    const FULL: &str = "directories = [\"d1\", \"d2\", \"d3\"]\nfiles = [\"f1\", \"f2\", \"f3\"]\n\
                        frameworks = [\"w1\", \"w2\", \"w3\"]\nkeywords = [\"k1\", \"k2\"]\n";

    #[test]
    fn weights_are_as_stated_and_two_of_a_list_are_all_of_it() {
        let full = domain(FULL);
        assert_eq!(scored(&full, &["framework w1", "framework w2"], ""), Some((30, 2)));
        assert_eq!(
            scored(&full, &["framework w1", "framework w2", "framework w3"], ""),
            Some((30, 3))
        );
        assert_eq!(scored(&full, &["dir d1", "framework w1"], ""), Some((35, 2)));
        let two_each = ["dir d1", "dir d2", "file f1", "file f2", "framework w1", "framework w3"];
        assert_eq!(scored(&full, &two_each, "k1 k2"), Some((80, 6)), "keywords are not asked for");
        assert_eq!(scored(&full, &["file f1"], "k1 is not k2"), Some((30, 3)));
        assert_eq!(scored(&full, &["dir d1", "file f1"], "k1"), Some((35, 3)));
    }

    /// What a project declares is enough with one thing that goes with it, whatever that is.
    #[test]
    fn one_framework_and_one_thing_that_goes_with_it_are_enough() {
        let full = domain(FULL);
        assert_eq!(scored(&full, &["framework w1"], "k1"), Some((30, 2)), "a word");
        assert_eq!(scored(&full, &["framework w1", "file f1"], "k1"), Some((30, 2)), "a file");
        assert_eq!(scored(&full, &["framework w1", "dir d1"], ""), Some((35, 2)), "a directory");
    }

    #[test]
    fn weak_signs_are_not_enough() {
        let full = domain(FULL);
        for signals in [&["framework w1"][..], &["file f1"], &["dir d1", "dir d2"], &[]] {
            assert_eq!(scored(&full, signals, ""), None, "{signals:?}");
        }
        for signals in [&["dir d1", "file f1"][..], &["file f1", "file f2"]] {
            assert_eq!(scored(&full, signals, ""), None, "{signals:?}");
        }
        for signals in [&["file f1"][..], &["dir d1"], &[]] {
            assert_eq!(scored(&full, signals, "k1"), None, "{signals:?} and a word");
        }
        let eager = domain("min_confidence = 0.1\nkeywords = [\"k1\", \"k2\"]\n");
        assert_eq!(scored(&eager, &[], "k1 k2"), None, "keywords alone");
        let one = domain("files = [\"f1\"]\n");
        assert_eq!(scored(&one, &["file f1"], ""), None, "a single signal, whatever its weight");
    }

    #[test]
    fn an_empty_list_hands_its_weight_on() {
        let no_frameworks = domain("directories = [\"d1\", \"d2\"]\nfiles = [\"f1\", \"f2\"]\n");
        assert_eq!(
            scored(&no_frameworks, &["dir d1", "dir d2", "file f1", "file f2"], ""),
            Some((100, 4))
        );
        assert_eq!(scored(&no_frameworks, &["dir d1", "file f1"], ""), Some((50, 2)));
    }

    #[test]
    fn names_of_frameworks_are_compared_plainly() {
        let ml = domain("frameworks = [\"scikit-learn\", \"PyTorch_Lightning\"]\n");
        assert!(
            scored(&ml, &["framework scikitlearn", "framework pytorchlightning"], "").is_some()
        );
    }
}
