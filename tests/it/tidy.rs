//! The repository checks itself: the house rules that a reader relies on.

mod comments;
mod files;
mod links;
mod mistakes;
mod prose;
mod requirements;
mod rules;
mod source;

use self::files::{File, root, tracked};

/// The maximum number of direct and indirect dependencies. A new one is a decision, and raises this
/// number.
const PACKAGES_MAX: usize = 141;
/// The maximum number of lines of a source file, without its tests.
const LINES_MAX: usize = 400;
/// The maximum number of characters in a line.
const COLUMNS_MAX: usize = 100;

/// Commands whose tests are in another file, each with the reason.
const TESTED_ELSEWHERE: [(&str, &str); 1] = [("hook", "each hook is a concern of its own")];

/// The gravest requirements: each has a mistake in the list that a test is known to notice.
const GRAVEST: [&str; 12] = [
    "0/RACE-01",
    "1/ARCH-3",
    "1/C1",
    "1/SAFETY-1",
    "1/SAFETY-2",
    "1/SAFETY-3",
    "2/P0-1",
    "2/P0-2",
    "3/CONCURRENT",
    "3/FORCE",
    "4/F1",
    "4/F3",
];

/// Programs that a test may start: git, those of POSIX, and `strace`, whose test says that it is
/// skipped where there is none.
const PORTABLE: [&str; 12] =
    ["bash", "cat", "echo", "env", "git", "kill", "mkfifo", "ps", "sh", "strace", "touch", "true"];

/// Fails, listing them, if anything was found.
#[track_caller]
fn none(found: &[String], rule: &str) {
    assert!(found.is_empty(), "{rule}:\n  {}", found.join("\n  "));
}

#[test]
fn source_files_are_short() {
    let long = |file: &File| {
        let lines = source::lines_without_tests(&file.text).count();
        (lines > LINES_MAX).then(|| format!("{}: {lines} lines", file.path))
    };
    let found: Vec<String> = files::source().iter().filter_map(long).collect();
    none(&found, "a source file has at most 400 lines without its tests");
}

#[test]
fn source_files_say_what_they_are_for() {
    let silent = |file: &&File| !file.text.starts_with("//!");
    let found: Vec<String> = files::source().iter().filter(silent).map(File::name).collect();
    none(&found, "a source file begins with a '//!' comment");
}

#[test]
fn lines_fit_the_screen() {
    let mut found = Vec::new();
    for file in tracked().iter().filter(|file| file.is_rust()) {
        for (number, line) in file.numbered() {
            if line.chars().count() > COLUMNS_MAX {
                found.push(format!("{}:{number}", file.path));
            }
        }
    }
    none(&found, "a line has at most 100 characters");
}

#[test]
fn comments_name_their_subject() {
    none(&comments::without_verb(), "a function's comment begins with a verb: 'Returns', 'Reads'");
    none(&comments::without_subject(), "a sentence of a comment names its subject");
}

#[test]
fn things_that_have_one_place_stay_there() {
    none(
        &rules::outside_of_its_place("refs/coord", "src/store/layout.rs"),
        "ref names are one file",
    );
    // 1/L2: one way to open the store, and 7/ONE-PATH, 4/F11: one way to write to it, which decides
    // on the very state that it replaces.
    for (word, place) in [
        ("Git::open(", "src/app/open.rs"),
        ("Ledger::new(", "src/app/mod.rs"),
        ("self.refs.swap(&", "src/store/git/mod.rs"),
        ("self.refs.swap(name", "src/store/git/refs/file_refs.rs"),
        ("[\"update-ref\"", "src/store/git/program/refs.rs"),
    ] {
        assert_eq!(rules::files_with(word), [place], "{word} has one place");
    }
    // A snapshot is no state: its ref is made once, and never moved.
    let mut swaps = rules::files_with("backend.swap(");
    swaps.sort();
    let expected = ["src/store/ledger/writer.rs", "src/store/rescue/mod.rs"];
    assert_eq!(swaps, expected, "entries and snapshots only");
    for word in ["set_current_dir", "open_from_env"] {
        assert_eq!(rules::files_with(word), [""; 0], "a process answers for several directories");
    }
    let by_name = rules::outside_of_its_place("Command::new(\"git\")", "src/store/testing.rs");
    assert_eq!(by_name, [""; 0], "'store::os::executable' finds programs");
    let git = rules::files_with("executable::command_in(\"git\"");
    assert_eq!(git, ["src/store/git/program/mod.rs"], "one file starts the git program");
}

#[test]
fn the_store_changes_files_in_one_place() {
    none(
        &rules::files_changed_elsewhere(),
        "only 'store::os::files' changes, syncs or locks files",
    );
}

/// What makes the disk fail on demand is compiled for tests only.
#[test]
fn a_release_cannot_be_made_to_fail() {
    for variable in ["GIT_COORD_FAULT", "GIT_COORD_STEPS"] {
        assert_eq!(rules::files_with(variable), ["src/store/os/files/faults.rs"], "{variable}");
    }
    for (path, line) in [
        ("src/store/os/files/mod.rs", "mod faults;"),
        ("src/store/os/files/step.rs", "use super::faults;"),
    ] {
        let text = std::fs::read_to_string(root().join(path)).unwrap();
        let is_for_tests = text.contains(&format!("#[cfg(debug_assertions)]\n{line}\n"));
        assert!(is_for_tests, "'{line}' in '{path}' is for debug builds only");
    }
}

#[test]
fn the_core_has_no_effects() {
    none(&rules::effects_in_core(), "'core' does no I/O and reads no clock, randomness or git");
}

#[test]
fn the_doors_go_through_app() {
    let mut users = rules::files_with("crate::store");
    users.retain(|path| path.starts_with("src/cli/") || path.starts_with("src/hook/"));
    none(&users, "a door asks 'app', and does not reach past it");
    let handed_on = rules::files_with("pub use crate::store");
    let by_app = handed_on.into_iter().filter(|path| path.starts_with("src/app/"));
    none(&by_app.collect::<Vec<_>>(), "'app' hands on no name of 'store'");
}

/// The functions of `core` that a door may call: they read and show values, and decide nothing.
const OF_VALUES: [&str; 11] = [
    "boolean::parse_boolean",
    "duration",
    "duration::parse_duration",
    "path_list::split",
    "pattern::for_path",
    "run::gate::why_shut",
    "size::in_words",
    "text::is_disguise",
    "text::shown",
    "time::about",
    "time::relative",
];

/// A door shows the values that an answer is made of. It makes no command and reads no document.
/// Bounds and defaults are rules: `app` or `core` has them, for every door.
#[test]
fn the_command_line_has_no_bounds_and_no_defaults() {
    let mut found = Vec::new();
    for file in files::source().iter().filter(|file| file.path.starts_with("src/cli/")) {
        let lines = file.text.lines().enumerate();
        let is_rule = |line: &str| {
            let default = line.split_once("default_value").map(|(_, rest)| rest);
            let given = default.and_then(|rest| rest.trim_start_matches("_t").strip_prefix(" = "));
            let is_literal = |given: &str| given.starts_with(|c: char| c == '"' || c.is_numeric());
            line.contains(").range(") || given.is_some_and(is_literal)
        };
        let wrong = lines.filter(|(_, line)| is_rule(line));
        found.extend(wrong.map(|(at, _)| format!("{}:{}", file.path, at + 1)));
    }
    none(&found, "the command line takes bounds and defaults from 'app' or 'core'");
}

#[test]
fn the_doors_name_only_values_of_the_core() {
    let is_door =
        |file: &&File| ["src/cli/", "src/hook/"].iter().any(|door| file.path.starts_with(door));
    let mut found = Vec::new();
    for file in files::source().iter().filter(is_door) {
        for name in source::names_after(&file.text, "crate::core::") {
            let last = name.rsplit("::").next().unwrap_or_default();
            let is_function = last.starts_with(char::is_lowercase);
            let makes_acts = ["command", "decision", "documents", "clean", "redact"]
                .iter()
                .any(|module| name.split("::").next() == Some(module));
            if makes_acts || is_function && !OF_VALUES.contains(&name.as_str()) {
                found.push(format!("{}: {name}", file.path));
            }
        }
    }
    none(&found, "of 'core', a door names values");
}

/// The walks of the architecture lead through files that are there.
#[test]
fn the_architecture_names_files_of_this_tree() {
    let text = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let quoted = text.split('`').skip(1).step_by(2);
    let is_source = |name: &&str| name.split_once('.').is_some_and(|(_, kind)| kind == "rs");
    let paths: Vec<&str> = quoted.filter(is_source).collect();
    assert!(paths.len() > 20, "the walks are there");
    let is_there =
        |path: &&str| [root(), &root().join("src")].iter().any(|at| at.join(path).exists());
    let gone = paths.iter().filter(|path| !is_there(path)).map(|path| (*path).to_owned());
    none(&gone.collect::<Vec<_>>(), "docs/architecture.md names files of this tree");
}

/// What two doors say belongs to `app`.
#[test]
fn only_the_command_line_uses_the_command_line() {
    let mut users = rules::files_with("crate::cli");
    users.retain(|path| !path.starts_with("src/cli/"));
    none(&users, "doors use 'app' and no more");
}

#[test]
fn nothing_is_left_for_later() {
    none(&rules::left_for_later(), "unfinished code is an issue, not a comment");
}

#[test]
fn modules_have_names() {
    let nameless = ["utils", "util", "common", "helpers", "misc"].map(|name| format!("mod {name}"));
    let found: Vec<String> = nameless.iter().flat_map(|name| rules::files_with(name)).collect();
    none(&found, "a shared thing gets a name");
}

#[test]
fn exit_code_two_is_never_used() {
    let exit = std::fs::read_to_string(root().join("src/cli/exit.rs")).unwrap();
    let code = source::code_lines(source::lines_without_tests(&exit));
    let found: Vec<String> =
        code.filter(|line| source::numbers(line).any(|number| number == "2")).collect();
    none(&found, "agents' hooks read exit code 2 as 'block'");
}

#[test]
fn no_path_of_a_machine_is_written_down() {
    none(&rules::machine_paths(), "paths of one machine mean nothing on another");
}

#[test]
fn every_command_has_a_test_file() {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root().join("src/cli/commands")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let is_tested = root().join(format!("tests/it/{name}.rs")).is_file();
        let is_excused = TESTED_ELSEWHERE.iter().any(|(command, _)| *command == name);
        if name != "mod" && !is_tested && !is_excused {
            found.push(name);
        }
    }
    none(&found, "tests/it has a file for every command");
}

#[test]
fn dependencies_are_few() {
    let lock = std::fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let count = lock.lines().filter(|line| *line == "[[package]]").count();
    assert!(count <= PACKAGES_MAX, "{count} packages, at most {PACKAGES_MAX}");
}

#[test]
fn the_changelog_has_a_place_for_what_is_new() {
    let changelog = std::fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    let heading = |line: &str| line.starts_with("## ") && line.contains("Unreleased");
    assert!(changelog.lines().any(heading), "CHANGELOG.md has no 'Unreleased' heading");
}

/// 1/PROCESS-1, 1/PROCESS-2: what must hold has a test that fails without the line it rests on.
#[test]
fn mistakes_that_tests_must_notice_can_still_be_made() {
    let mistakes = mistakes::all();
    let found: Vec<String> = mistakes.iter().filter_map(mistakes::fault).collect();
    none(&found, "'tests/mutants.txt' speaks of this tree");
    let has_mistake = |id: &str| mistakes.iter().any(|mistake| mistake.requirement == id);
    let without = GRAVEST.iter().filter(|id| !has_mistake(id)).map(|id| (*id).to_owned());
    none(&without.collect::<Vec<_>>(), "'tests/mutants.txt' has a mistake for each of the gravest");
}

/// 4/F12: tests start git, what POSIX has, and nothing else by name.
#[test]
fn tests_use_portable_tools() {
    let mut found = Vec::new();
    for file in tracked().iter().filter(|file| file.is_rust() && file.path.starts_with("tests/")) {
        for (number, line) in file.numbered() {
            let programs = rules::programs(line).filter(|program| !PORTABLE.contains(program));
            found.extend(programs.map(|program| format!("{}:{number}: {program}", file.path)));
        }
    }
    none(&found, "tests use portable tools");
}

/// 1/C2 = 1/L1, 1/PROCESS-3: one gate runs everything, with lints as errors, and it is what the
/// README's test command is part of.
#[test]
fn one_gate_runs_everything() {
    let gate = std::fs::read_to_string(root().join(".ci/run")).unwrap();
    for step in [
        "cargo fmt --check",
        "cargo clippy --all-targets --locked -- -D warnings",
        "export GIT_COORD_TEST_TOOLS=1\n",
        "GIT_COORD_TEST_ROUNDS:=100",
        "cargo test --locked\n",
        "RUSTDOCFLAGS='-D warnings' cargo doc",
        "cargo check --manifest-path fuzz/Cargo.toml --locked\n",
    ] {
        assert!(gate.contains(step), "'.ci/run' does not run: {step}");
    }
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.contains("\ncargo test --locked\n"));
}

/// The gate compiles dependencies once for the program and for the fuzz targets, which needs the
/// same profile and the same versions.
#[test]
fn fuzz_targets_share_the_dependencies_of_the_program() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let profile = |path: &str| {
        let manifest: toml::Table = read(path).parse().unwrap();
        manifest["profile"]["dev"].clone()
    };
    assert_eq!(profile("fuzz/Cargo.toml"), profile("Cargo.toml"));
    let packages = |path: &str| -> Vec<String> {
        let lock = read(path);
        let packages = lock.split("[[package]]").skip(1);
        packages.map(|package| package.lines().take(3).collect::<Vec<_>>().join(" ")).collect()
    };
    let ours = packages("Cargo.lock");
    let name = |package: &str| package.split(" version").next().map(str::to_owned);
    let is_ours = |package: &&String| ours.iter().any(|ours| name(ours) == name(package));
    let of_fuzz = packages("fuzz/Cargo.lock");
    let others = of_fuzz.iter().filter(is_ours).filter(|package| !ours.contains(package));
    none(
        &others.cloned().collect::<Vec<_>>(),
        "'fuzz/Cargo.lock' has the versions of 'Cargo.lock'",
    );
}
