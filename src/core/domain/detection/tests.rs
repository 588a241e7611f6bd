use super::*;
use crate::core::domain::survey::{Purpose, survey};
use crate::core::domain::testing::Memory;

#[path = "../../../../tests/it/domain/skeletons.rs"]
mod skeletons;

use skeletons::{
    MONOREPO, MONOREPO_PATHS, NOTHING_KNOWN, PLUGINS, PLUGINS_PATHS, SKELETONS, Skeleton, templates,
};

fn detected(files: &[(&str, &str)]) -> Vec<Found> {
    let (tree, catalogue) = (Memory::of(files), Catalogue::shipped());
    let survey = survey(&tree, &catalogue, Purpose::Detect).unwrap();
    detect(&survey, &tree, &catalogue).unwrap()
}

#[test]
fn ordinary_projects_of_each_kind_are_recognised() {
    for Skeleton { domain, files } in SKELETONS {
        let found = detected(files);
        let primary = found.first().map(|found| found.name.as_str());
        assert_eq!(primary, Some(*domain), "{files:?}: {found:#?}");
        assert!(found[0].primary && found.iter().skip(1).all(|found| !found.primary));
    }
}

#[test]
fn what_the_tools_of_each_language_make_is_recognised() {
    let templates = templates();
    assert!(templates.len() > 50);
    for (domain, files) in templates {
        let found = detected(&files);
        let primary = found.first().map(|found| found.name.as_str());
        assert_eq!(primary, Some(domain), "{files:?}: {found:#?}");
    }
}

#[test]
fn every_shipped_domain_has_an_ordinary_project() {
    for domain in Catalogue::shipped().domains() {
        let has_one = SKELETONS.iter().any(|skeleton| skeleton.domain == domain.name.as_str());
        assert!(has_one, "{}", domain.name);
    }
}

#[test]
fn what_is_nothing_known_is_not_taken_for_anything() {
    for files in NOTHING_KNOWN {
        assert_eq!(detected(files), [], "{files:?}");
    }
}

#[test]
fn monorepos_are_told_by_project() {
    for (files, expected) in [(MONOREPO, MONOREPO_PATHS), (PLUGINS, PLUGINS_PATHS)] {
        let found = detected(files);
        let told: Vec<(&str, Vec<&str>)> = found
            .iter()
            .map(|found| (found.name.as_str(), found.paths.iter().map(String::as_str).collect()))
            .collect();
        let expected: Vec<(&str, Vec<&str>)> =
            expected.iter().map(|(name, paths)| (*name, paths.to_vec())).collect();
        assert_eq!(told, expected, "{found:#?}");
    }
}

/// Ties: with the same signals for two domains, the first in the catalogue is primary.
#[test]
fn of_two_that_are_equally_likely_the_first_of_the_catalogue_is_primary() {
    let domain = |name: &str| format!("[[domain]]\nname = \"{name}\"\nfiles = [\"a\", \"b\"]\n");
    for (first, second) in [("one", "two"), ("two", "one")] {
        let text = format!("replace = true\n{}{}", domain(first), domain(second));
        let catalogue = Catalogue::extended(text.as_bytes()).unwrap();
        let tree = Memory::of(&[("a", ""), ("b", "")]);
        let found = detect(&survey(&tree, &catalogue, Purpose::Detect).unwrap(), &tree, &catalogue)
            .unwrap();
        let names: Vec<&str> = found.iter().map(|found| found.name.as_str()).collect();
        assert_eq!(names, [first, second]);
    }
}
