//! `domain detect` and `domain show`.

use super::project::{SERVICE, check_code, detected, names, project, tip};
use super::skeletons::{
    MONOREPO, MONOREPO_PATHS, NOTHING_KNOWN, PLUGINS, PLUGINS_PATHS, SKELETONS, Skeleton, templates,
};
use crate::support::Repo;
use crate::support::contract::exit;

#[test]
fn ordinary_projects_of_each_kind_are_recognised() {
    for Skeleton { domain, files } in SKELETONS {
        let repo = project(files);
        let answer = repo.json("ada", ["domain", "detect"]);
        assert_eq!(names(&answer)[0], *domain, "{files:?}: {answer:#}");
        assert_eq!(check_code(&repo), exit::DONE, "{files:?}");
    }
}

/// The same for what the tools of each language make, all of them one after the other in one
/// repository.
#[test]
fn what_the_tools_of_each_language_make_is_recognised() {
    let repo = Repo::new();
    for (domain, files) in templates() {
        repo.git(["clean", "--quiet", "--force", "-d", "-x"]);
        for (path, text) in &files {
            repo.write(path, text);
        }
        let answer = repo.json("ada", ["domain", "detect"]);
        assert_eq!(names(&answer)[0], domain, "{files:?}: {answer:#}");
    }
}

/// 2/LIBRARY: a package that only names its module is a library, and so is a Go module without a
/// command. What is started is none.
#[test]
fn plain_libraries_are_recognised() {
    const GO: (&str, &str) = ("go.mod", "module example.com/x\n\ngo 1.22\n");
    const CODE: (&str, &str) = ("x.go", "package x\n\nfunc X() int { return 1 }\n");
    const ES: (&str, &str) = ("index.js", "export function x() { return 1 }\n");
    const MAIN: &str = r#"{"name":"x","version":"1.0.0","main":"index.js"}"#;
    const EXPORTS: &str =
        r#"{"name":"x","version":"1.0.0","type":"module","exports":"./index.js"}"#;
    const STARTED: &str =
        r#"{"name":"x","version":"1.0.0","main":"index.js","scripts":{"start":"node index.js"}}"#;
    for files in [
        &[GO, CODE, ("x_test.go", "package x_test\n")][..],
        &[GO, ("x/x.go", "package x\n"), ("y/y.go", "package y\n")],
        &[("package.json", MAIN), ES],
        &[("package.json", EXPORTS), ES],
    ] {
        let answer = project(files).json("ada", ["domain", "detect"]);
        assert_eq!(names(&answer), ["library-sdk"], "{files:?}: {answer:#}");
    }
    for files in [
        &[GO, ("main.go", "package main\n"), CODE][..],
        &[GO, CODE, ("cmd/x/main.go", "package main\n")],
        &[("package.json", STARTED), ES],
    ] {
        let answer = project(files).coord_json("ada", ["domain", "detect"]).json();
        assert!(!names(&answer).contains(&"library-sdk".to_owned()), "{files:?}: {answer:#}");
    }
}

/// 2/IMP-3-name: a ref below the name of the ledger stops the record and not the answer.
#[test]
fn a_ref_in_the_way_of_the_ledger_is_named() {
    const FILES: [(&str, &str); 2] = [
        ("package.json", r#"{"name":"x","version":"1.0.0","main":"index.js"}"#),
        ("index.js", "export function x() { return 1 }\n"),
    ];
    let repo = project(&FILES);
    repo.git(["update-ref", "refs/coord/domains/x", "HEAD"]);
    for _ in 0..2 {
        let answer = repo.json("ada", ["domain", "detect"]);
        assert_eq!(names(&answer), ["library-sdk"], "{answer:#}");
        assert_eq!(answer["recorded"], false);
        let text = answer["notes"][0]["text"].as_str().unwrap();
        assert!(text.contains("'refs/coord/domains/x' is in the way"), "{text}");
        assert!(answer.get("entry").is_none(), "{answer:#}");
    }
    repo.coord("ada", ["domain", "detect"]).done().says("git coord doctor");
    repo.git(["update-ref", "-d", "refs/coord/domains/x"]);
    assert_eq!(repo.json("ada", ["domain", "detect"])["recorded"], true);
}

/// What is nothing known is said to be so, and that is an answer that holds.
#[test]
fn what_is_nothing_known_exits_with_1() {
    for files in NOTHING_KNOWN {
        let repo = project(files);
        let answer = repo.coord_json("ada", ["domain", "detect"]).exits(exit::NO).json();
        assert_eq!(names(&answer), [""; 0]);
        assert_eq!(check_code(&repo), exit::NO);
        repo.coord("ada", ["domain", "show"]).done().says("no domain");
    }
}

/// 3d: each project of a repository of many is told with its place.
#[test]
fn monorepos_are_told_by_project() {
    for (files, expected) in [(MONOREPO, MONOREPO_PATHS), (PLUGINS, PLUGINS_PATHS)] {
        let repo = project(files);
        let answer = repo.json("ada", ["domain", "detect"]);
        for (place, (name, paths)) in expected.iter().enumerate() {
            let found = &answer["domains"][place];
            assert_eq!(found["name"], *name, "{answer:#}");
            assert_eq!(found["paths"], serde_json::json!(paths), "{answer:#}");
            assert_eq!(found["primary"], place == 0);
        }
        let (_, first_paths) = expected[0];
        repo.coord("ada", ["domain", "show"]).done().says(first_paths[0]);
    }
}

#[test]
fn answers_have_the_keys_of_the_contract() {
    let repo = project(SERVICE);
    for verb in ["detect", "show"] {
        let answer = repo.json("ada", ["domain", verb]);
        assert_eq!(answer["domains"][0]["name"], "web-api");
        assert_eq!(answer["domains"][0]["primary"], true);
        assert!(answer["domains"][0]["confidence"].as_f64().unwrap() >= 0.3);
        assert!(answer["domains"][0]["paths"].is_null(), "only where it is not the top alone");
        assert_eq!(answer["detected_at"], repo.now());
        assert!(answer["fingerprint"].as_str().unwrap().starts_with("1:"), "{answer:#}");
        assert_eq!(answer["source"], "heuristic");
        assert_eq!(answer["entry"], tip(&repo));
    }
}

#[test]
fn what_still_holds_is_not_recorded_again_unless_forced() {
    let repo = detected();
    let before = tip(&repo);
    assert_eq!(repo.json("ada", ["domain", "detect"])["recorded"], false);
    assert_eq!(tip(&repo), before);
    repo.pass("1h");
    let forced = repo.json("ada", ["domain", "detect", "--force"]);
    assert_eq!((&forced["recorded"], &forced["detected_at"]), (&true.into(), &repo.now().into()));
    assert_ne!(tip(&repo), before);
}

#[test]
fn nothing_is_known_before_the_first_detection() {
    let repo = Repo::new();
    repo.coord("ada", ["domain", "show"]).exits(exit::NOTHING).says("git coord domain detect");
    assert_eq!(check_code(&repo), exit::NOTHING);
}

/// The repository's own index is what counts.
#[test]
fn a_domain_of_the_repository_is_detected() {
    let repo = project(&[("circuits/a.qasm", ""), ("b.qasm", ""), ("README.md", "")]);
    let own =
        "[[domain]]\nname = \"quantum\"\ndirectories = [\"circuits\"]\nfiles = [\"*.qasm\"]\n";
    repo.write("own.toml", own);
    repo.git(["config", "coord.domainIndex", "own.toml"]);
    assert_eq!(names(&repo.json("ada", ["domain", "detect"])), ["quantum"]);
}
