//! The skill that tells Claude Code when and how to use the program (8/SKILL).

use std::fs;
use std::path::Path;

use serde_json::Value;

/// Reads the skill of the plugin, at the place that its manifest names.
fn published() -> String {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = fs::read(top.join(".claude-plugin/plugin.json")).unwrap();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap();
    let skills = manifest["skills"].as_str().expect("the plugin names its skills");
    fs::read_to_string(top.join(skills).join("git-coord/SKILL.md")).unwrap()
}

/// 8/SKILL: it is what Claude Code reads as a skill, it is short, and its commands exist.
#[test]
fn it_is_short_and_its_commands_exist() {
    let skill = published();
    assert!(skill.lines().count() < 100);
    let (front, text) = skill.strip_prefix("---\n").unwrap().split_once("\n---\n").unwrap();
    let names: Vec<&str> = front.lines().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(names, ["name", "description"]);
    assert!(front.starts_with("name: git-coord\n"), "{front}");
    let known = crate::transcripts::commands();
    let mut count = 0;
    for call in text.split("git coord ").skip(1) {
        let name: String = call.chars().take_while(char::is_ascii_lowercase).collect();
        assert!(known.contains(&name), "'{name}' is no command");
        count += 1;
    }
    assert!(count >= 8, "only {count} commands");
}
