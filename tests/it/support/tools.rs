//! Programs of others from their registries, in fixed versions, below cargo's directory for tests.
//! They are fetched if `GIT_COORD_TEST_TOOLS` is set, as in `.ci/run`.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use super::env::program;
use super::gits::skip;
use super::notice::{TOOLS as WANTED, say};

const PACKAGES_OF_NODE: [&str; 3] =
    ["husky@9.1.7", "lefthook@2.2.2", "@anthropic-ai/claude-code@2.1.326"];
const PACKAGES_OF_PYTHON: [&str; 1] = ["pre-commit==4.7.0"];
const MDBOOK: [&str; 1] = ["mdbook@0.5.4"];

/// The directory of the programs.
pub(crate) struct Tools {
    directories: [PathBuf; 2],
}

/// Returns the programs; `None`, with a message about the skipped test, if they are not enabled.
pub(crate) fn tools(what: &str) -> Option<&'static Tools> {
    static TOOLS: OnceLock<Option<Tools>> = OnceLock::new();
    let tools = TOOLS.get_or_init(|| std::env::var_os(WANTED).map(|_| Tools::fetch()));
    if tools.is_none() {
        skip(&format!("{what}: programs of others are fetched where {WANTED} is set"));
    }
    tools.as_ref()
}

/// Builds mdBook and returns the directory of the program; `None`, with a message about the skipped
/// test, if programs of others are not enabled. Compiling it takes a minute, so only its test does.
pub(crate) fn mdbook() -> Option<PathBuf> {
    if std::env::var_os(WANTED).is_none() {
        skip(&format!("the site: mdbook is built where {WANTED} is set"));
        return None;
    }
    let home = home();
    let directory = home.join("mdbook");
    fetched(&directory, &MDBOOK, |packages| {
        let root = directory.to_str().expect("cargo's directory is UTF-8");
        let build = directory.join("build");
        let target = build.to_str().expect("cargo's directory is UTF-8");
        let how = ["install", "--locked", "--debug", "--no-default-features"];
        let where_to = ["--features", "search", "--root", root, "--target-dir", target];
        run(env!("CARGO"), &[&how[..], &where_to, packages].concat(), &home);
        fs::remove_dir_all(build).expect("our own directory can be removed");
    });
    Some(directory.join("bin"))
}

/// Returns the directory below which all of them lie.
fn home() -> PathBuf {
    let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tools");
    fs::create_dir_all(&home).expect("cargo's directory for tests can be written");
    home
}

impl Tools {
    fn fetch() -> Tools {
        let home = home();
        let (node, python) = (home.join("node"), home.join("python"));
        let text = |path: &Path| path.to_str().expect("cargo's directory is UTF-8").to_owned();
        // Their scripts would set up the repository that they find themselves in: ours.
        let npm = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix"];
        fetched(&node, &PACKAGES_OF_NODE, |packages| {
            run("npm", &[&npm[..], &[&text(&node)], packages].concat(), &home);
        });
        fetched(&python, &PACKAGES_OF_PYTHON, |packages| {
            run("python3", &["-m", "venv", &text(&python)], &home);
            let pip = ["install", "--quiet", "--disable-pip-version-check"];
            run(&text(&python.join("bin/pip")), &[&pip[..], packages].concat(), &home);
        });
        Tools { directories: [node.join("node_modules/.bin"), python.join("bin")] }
    }

    /// Builds `PATH` with these programs and the one under test in front.
    pub(crate) fn path(&self) -> OsString {
        let own = program().parent().expect("a program lies in a directory").to_path_buf();
        let machine = std::env::var_os("PATH").unwrap_or_default();
        let front = [own].into_iter().chain(self.directories.iter().cloned());
        let all = front.chain(std::env::split_paths(&machine));
        std::env::join_paths(all).expect("no entry of PATH contains a separator")
    }

    /// Finds Claude Code: the program itself, which starts faster than what npm puts before it.
    pub(crate) fn claude(&self) -> PathBuf {
        let packages = self.directories[0].parent().expect("packages lie around it");
        let machines = fs::read_dir(packages.join("@anthropic-ai")).expect("it was fetched");
        let mut paths = machines.map(|entry| entry.expect("it was fetched").path().join("claude"));
        paths.find(|path| path.is_file()).expect("it was fetched for this machine")
    }

    /// Returns an interpreter of Python.
    pub(crate) fn python(&self) -> PathBuf {
        self.directories[1].join("python3")
    }
}

/// Fetches packages unless exactly these exist.
fn fetched(directory: &Path, packages: &[&str], fetch: impl FnOnce(&[&str])) {
    let note = directory.join("fetched");
    let wanted = packages.join("\n");
    if fs::read_to_string(&note).is_ok_and(|there| there == wanted) {
        return;
    }
    if directory.exists() {
        fs::remove_dir_all(directory).expect("what is out of date can be removed");
    }
    fs::create_dir_all(directory).expect("cargo's directory for tests can be written");
    say(&format!("fetching {}", packages.join(", ")));
    fetch(packages);
    fs::write(note, wanted).expect("cargo's directory for tests can be written");
}

/// Runs an installer with the machine's own settings, which name its registry.
fn run(program: &str, args: &[&str], directory: &Path) {
    let mut command = Command::new(program);
    command.args(args).current_dir(directory).stdin(Stdio::null());
    let output = command.output().unwrap_or_else(|error| {
        panic!("{WANTED} is set, and '{program}' cannot be run: {error}; install it")
    });
    assert!(
        output.status.success(),
        "{WANTED} is set, and '{program} {}' failed; is its registry reachable?\n{}{}",
        args.join(" "),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
}
