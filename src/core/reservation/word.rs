//! A word that names holds: a path or a pattern, or the beginning of an id.
//!
//! Every word could be a path, and short ones could be ids as well. Which of the two is meant
//! depends on the holds, so the decision says it: a word is a path if the caller holds some of it.

use serde::{Deserialize, Serialize};

use crate::core::decision::No;
use crate::core::documents::Documents;
use crate::core::ids::{HoldId, HoldIdPrefix};
use crate::core::pattern::Pattern;
use crate::core::reservation::paths::{Comparing, PathFacts};
use crate::core::reservation::select::{self, Selection};
use crate::core::reservation::{Hold, Target, index};
use crate::core::time::Timestamp;

/// A word of a caller.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Word {
    /// The patterns that it stands for as a path.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub patterns: Vec<Pattern>,
    /// Set if it could be an id, or the beginning of one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub id: Option<HoldIdPrefix>,
}

/// The meaning of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The paths that its patterns match.
    Path,
    /// The hold whose id begins so.
    Id,
    /// Nothing that is there.
    Missing,
}

/// The use of a hold that reaches beyond the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wider {
    /// It counts, because the act can be done to a part of it.
    Counts,
    /// It does not count: the act is done to a whole hold or not at all.
    IsNotMeant,
}

impl Word {
    /// Returns the word as people know it; a path begins at the top of the repository.
    pub fn shown(&self) -> String {
        match &self.id {
            Some(id) => id.to_string(),
            None => self.as_path(),
        }
    }

    /// Returns the word as a path, from the top of the repository.
    pub fn as_path(&self) -> String {
        self.patterns.iter().map(Pattern::shown).collect::<Vec<_>>().join(", ")
    }

    /// Decides what the word means, given the targets of the caller's own holds and the ids of all
    /// holds that begin like the word.
    ///
    /// A path that is held as it is, or with holds inside it, comes first. The whole id of a hold
    /// is an id also for the holder of everything. A path inside a wider hold comes before the
    /// beginning of an id if it exists, and after it if there is no such path.
    pub fn meaning(
        &self,
        facts: &PathFacts,
        own: &[Target],
        ids: &[HoldId],
        (by, wider): (Comparing, Wider),
    ) -> Meaning {
        let paths: Vec<Target> =
            self.patterns.iter().map(|it| Target::Paths(facts.paths(it))).collect();
        let any = |test: &dyn Fn(&Target, &Target) -> bool| {
            paths.iter().any(|path| own.iter().any(|hold| test(path, hold)))
        };
        let is_inside =
            any(&|path, hold| path.reach(by).covers(&hold.reach(by)) && hold.lock().is_none());
        if is_inside {
            return Meaning::Path;
        }
        let is_new = self.patterns.iter().all(|pattern| facts.new.contains(pattern));
        let fits = self.id.is_some() && !ids.is_empty();
        let is_whole = ids.iter().any(|id| self.is_whole(id));
        let is_part =
            wider == Wider::Counts && any(&|path, hold| path.reach(by).meets(&hold.reach(by)));
        match (is_part, fits) {
            (true, true) if is_new || is_whole => Meaning::Id,
            (true, _) => Meaning::Path,
            (false, true) => Meaning::Id,
            (false, false) => Meaning::Missing,
        }
    }

    fn is_whole(&self, id: &HoldId) -> bool {
        self.id.as_ref().is_some_and(|prefix| prefix.as_str() == id.as_str())
    }
}

/// A word that names nothing of the caller's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    pub word: Word,
    /// The holds that meet it as a path, live or not, whoever has them.
    pub meeting: Vec<Hold>,
}

/// A selection whose words have a meaning.
pub struct Meant {
    /// The selection without words.
    pub which: Selection,
    pub missing: Vec<Missing>,
}

/// Gives each word of a selection its meaning. `is_own` says which live holds the act may change.
pub fn meant(
    documents: &dyn Documents,
    which: &Selection,
    (by, wider): (Comparing, Wider),
    now: Timestamp,
    is_own: impl Fn(&Hold) -> bool,
) -> Result<Meant, No> {
    let mut meant =
        Meant { which: Selection { words: Vec::new(), ..which.clone() }, missing: Vec::new() };
    for word in &which.words {
        let paths = Selection {
            paths: word.patterns.clone(),
            facts: which.facts.clone(),
            ..Selection::default()
        };
        let found = select::by_paths(documents, &paths, by, |_| true)?;
        let meeting = select::once(found.inside.into_iter().chain(found.wider).collect());
        let is_live_own = |hold: &&Hold| hold.is_live(now) && is_own(hold);
        let own: Vec<Target> =
            meeting.iter().filter(is_live_own).map(|hold| hold.target.clone()).collect();
        let ids = match &word.id {
            Some(id) => index::with_prefix(documents, id)?,
            None => Vec::new(),
        };
        match (word.meaning(&which.facts, &own, &ids, (by, wider)), &word.id) {
            (Meaning::Path, _) => meant.which.paths.extend(word.patterns.iter().cloned()),
            (Meaning::Id, Some(id)) => meant.which.ids.push(id.clone()),
            (Meaning::Id | Meaning::Missing, _) => {
                meant.missing.push(Missing { word: word.clone(), meeting });
            }
        }
    }
    Ok(meant)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::core::pattern::Case;

    const PATHS: [&str; 6] = ["docs", "docs/b.md", "src", "src/api", "abcdefgh", "abc"];

    fn pattern(path: &str) -> Pattern {
        Pattern::canonical(path.as_bytes()).unwrap()
    }

    fn word(path: &str) -> Word {
        Word { patterns: vec![pattern(path)], id: path.parse().ok() }
    }

    fn new(path: &str) -> PathFacts {
        PathFacts { new: vec![pattern(path)], ..PathFacts::NONE }
    }

    fn meaning(path: &str, facts: &PathFacts, own: &[&str], ids: &[&str], wider: Wider) -> Meaning {
        let own: Vec<Target> = own.iter().map(|path| pattern(path).into()).collect();
        let ids: Vec<HoldId> = ids.iter().map(|id| id.parse().unwrap()).collect();
        word(path).meaning(facts, &own, &ids, (Case::Sensitive.into(), wider))
    }

    /// 8/WORDS: the table of meanings.
    #[test]
    fn a_word_is_a_path_before_it_is_an_id() {
        use Meaning::{Id, Missing, Path};
        let (known, counts) = (&PathFacts::NONE, Wider::Counts);
        for (path, facts, own, ids, means) in [
            ("docs", known, &["docs"][..], &["docsaaaa"][..], Path),
            ("docs", known, &["docs/b.md"], &[], Path),
            ("docs", known, &["**"], &["docsaaaa"], Path),
            ("docs", &new("docs"), &["**"], &["docsaaaa"], Id),
            ("docs", &new("docs"), &["**"], &[], Path),
            ("docs", known, &[], &["docsaaaa"], Id),
            ("docs", known, &["src"], &[], Missing),
            ("abcdefgh", known, &["**"], &["abcdefgh"], Id),
            ("abcdefgh", known, &["abcdefgh"], &["abcdefgh"], Path),
            ("src/api", known, &["src"], &[], Path),
        ] {
            assert_eq!(meaning(path, facts, own, ids, counts), means, "{path} of {own:?}, {ids:?}");
        }
        assert_eq!(meaning("src/api", known, &["src"], &[], Wider::IsNotMeant), Missing);
    }

    fn some() -> impl Strategy<Value = Vec<&'static str>> {
        prop::sample::subsequence(PATHS.to_vec(), 0..=PATHS.len())
    }

    proptest! {
        /// 8/WORDS: what is held under the very name of the word is meant, whatever ids there are.
        #[test]
        fn an_own_path_is_that_path(at in 0..PATHS.len(), own in some(), has_ids: bool) {
            let path = PATHS[at];
            let ids: &[&str] = if has_ids { &["abcdefgh"] } else { &[] };
            let own = [own, vec![path]].concat();
            for wider in [Wider::Counts, Wider::IsNotMeant] {
                for facts in [PathFacts::NONE, new(path)] {
                    prop_assert_eq!(meaning(path, &facts, &own, ids, wider), Meaning::Path);
                }
            }
        }

        /// 8/WORDS: without an own hold that meets it, a word is never a path; and without an id
        /// that begins so, never an id.
        #[test]
        fn nothing_is_made_up(at in 0..PATHS.len(), own in some(), has_ids: bool, is_new: bool) {
            let path = PATHS[at];
            let fits = has_ids && "abcdefgh".starts_with(path);
            let ids: &[&str] = if fits { &["abcdefgh"] } else { &[] };
            let facts = if is_new { new(path) } else { PathFacts::NONE };
            let reach = |path: &str| Target::from(pattern(path));
            let meets = own.iter().any(|hold| {
                reach(hold).reach(Case::Sensitive).meets(&reach(path).reach(Case::Sensitive))
            });
            match meaning(path, &facts, &own, ids, Wider::Counts) {
                Meaning::Path => prop_assert!(meets),
                Meaning::Id => prop_assert!(!ids.is_empty()),
                Meaning::Missing => prop_assert!(!meets && ids.is_empty()),
            }
        }
    }
}
