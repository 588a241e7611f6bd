use super::*;
use crate::core::domain::testing::Memory;

fn surveyed(files: &[(&str, &str)]) -> Survey {
    survey(&Memory::of(files), &Catalogue::shipped(), Purpose::Detect).unwrap()
}

#[test]
fn projects_are_found_where_manifests_and_markers_are() {
    let found = surveyed(&[
        ("README.md", ""),
        ("packages/@scope/ui/package.json", "{}"),
        ("packages/api/package.json", "{}"),
        ("plugins/one/.claude-plugin/plugin.json", "{}"),
        ("a/b/c/d/package.json", "too deep"),
        ("node_modules/x/package.json", "not ours"),
        (".hidden/package.json", ""),
    ]);
    let paths: Vec<&str> = found.projects.iter().map(Project::shown).collect();
    assert_eq!(paths, [".", "packages/@scope/ui", "packages/api", "plugins/one"]);
    assert!(!found.is_cut_short());
}

/// What a comparison sees is what a detection rests on.
#[test]
fn a_comparison_sees_the_same_structure() {
    let tree = Memory::of(&[("a.rs", ""), ("x/Cargo.toml", ""), ("x/src/lib.rs", "")]);
    let catalogue = Catalogue::shipped();
    let mut detecting = survey(&tree, &catalogue, Purpose::Detect).unwrap();
    detecting.projects.iter_mut().for_each(|project| project.sources.clear());
    let mut comparing = survey(&tree, &catalogue, Purpose::Compare).unwrap();
    comparing.projects.iter_mut().for_each(|project| project.sources.clear());
    assert_eq!(detecting, comparing);
}

#[test]
fn signals_are_seen_at_the_top_one_level_below_and_by_path() {
    let found = surveyed(&[
        ("scenes/main.tscn", ""),
        ("app/src/main/AndroidManifest.xml", ""),
        ("deep/er/x.tmx", ""),
        ("src/routes/users.js", ""),
        ("src/z.rs", ""),
        ("a.rs", ""),
        ("Game.xcodeproj/project.pbxproj", ""),
    ]);
    let top = &found.projects[0];
    assert!(top.files.contains("*.tscn") && !top.files.contains("*.tmx"), "{top:?}");
    assert!(top.files.contains("*.xcodeproj"), "a directory can be what is looked for");
    assert!(top.files.contains("app/src/main/AndroidManifest.xml"));
    assert!(top.directories.contains("scenes") && top.directories.contains("src/routes"));
    assert!(top.directories.contains("app/src/main"));
    assert_eq!(top.sources, ["a.rs", "src/z.rs", "src/routes/users.js"], "level by level");
}

/// Every way to find a pattern finds what asking each pattern would find.
#[test]
fn the_quick_way_finds_what_the_slow_way_finds() {
    let all = Catalogue::shipped().structural_files();
    let patterns = Patterns::of(&all);
    let names = [
        "main.tscn",
        "tauri.linux.conf.json",
        "Podfile",
        "x.1",
        "pipeline.py",
        "a.s",
        "etl_dag.py",
        "none",
        ".tscn",
        "app.config.ts",
        "rollup.config.mjs",
        "x.d.ts",
        "x.pc.in",
    ];
    for name in names {
        let mut quick = BTreeSet::new();
        patterns.of_name(name, |pattern| {
            quick.insert(pattern.as_str().to_owned());
        });
        let by_name = all.iter().filter(|pattern| pattern.directory().is_none());
        let slow = by_name.filter(|pattern| pattern.matches_name(name));
        assert_eq!(quick, slow.map(|p| p.as_str().to_owned()).collect(), "{name}");
    }
}

/// What was seen fits into one document, however much there is.
#[test]
fn too_much_is_cut_short() {
    use crate::core::documents::encode;
    use crate::core::domain::freshness::differences;
    use crate::core::domain::structure::Structure;
    use crate::core::limits::DOCUMENT_BYTES_MAX;
    let long = "n".repeat(120);
    let mut files = std::collections::BTreeMap::new();
    for number in 0..PROJECTS_MAX + 50 {
        for name in ["Cargo.toml", "package.json", "a.tscn", "b.proto", "routes/x", "dags/y"] {
            files.insert(format!("{long}{number}/{long}/{name}"), Vec::new());
        }
    }
    let tree = Memory(files);
    let survey = survey(&tree, &Catalogue::shipped(), Purpose::Detect).unwrap();
    assert!(survey.is_cut_short() && survey.projects.len() > 50);
    let structure = Structure::of(&survey, &tree).unwrap();
    assert!(encode(&structure).len() < DOCUMENT_BYTES_MAX / 2, "{}", encode(&structure).len());
    // And yet what is beyond is compared (2/P0-1).
    let last = &survey.beyond.last().unwrap().path;
    for changed in ["Cargo.toml", "other.cs"] {
        let mut other = tree.clone();
        other.0.insert(format!("{last}/{changed}"), b"changed".to_vec());
        let now = super::survey(&other, &Catalogue::shipped(), Purpose::Compare).unwrap();
        let now = Structure::of(&now, &other).unwrap();
        assert_eq!(differences(&structure, &now).len(), 1, "{changed}");
    }
}
