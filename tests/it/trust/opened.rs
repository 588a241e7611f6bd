//! Every file of a repository that is opened, by the program or by a git that it starts, is known:
//! one that nobody has thought about may name a program.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use super::repository::{FILES, hostile, questions};
use super::{edit_of, events, hook};
use crate::support::gits::skip;
use crate::support::{Call, Repo};

/// Files that are opened besides those of the list. A name that ends with `/` stands for all that
/// is below it.
const KNOWN: &[&str] = &[
    // They hold traps too, or are set to lead to them.
    ".git/config",
    ".git/coord/",
    ".git/hooks/",
    "traps/",
    // Names, ids and objects, which name no program.
    ".git/HEAD",
    ".git/commondir",
    ".git/index",
    ".git/info/grafts",
    ".git/logs/",
    ".git/objects/",
    ".git/packed-refs",
    ".git/refs/",
    ".git/sequencer/todo",
    ".git/shallow",
    ".git/packed-refs.lock",
    // Patterns of files, as those of each directory.
    ".git/info/exclude",
    // Content of the user's, which is compared and saved.
    "README.md",
    "docs/",
    "src/",
    "notes.txt",
];

/// Tells whether a path below the work tree has been thought about.
fn is_known(path: &str) -> bool {
    let matches = |known: &str| path == known || known.ends_with('/') && path.starts_with(known);
    let mut all = KNOWN.iter().copied().chain(FILES.map(|(file, _)| file));
    path.ends_with("/.gitignore") || path.ends_with("/.gitattributes") || all.any(matches)
}

/// Takes `.` and `..` out of a path, as far as that is possible without looking.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            other => plain.push(other),
        }
    }
    plain
}

/// Reads the path of a line such as `17 openat(AT_FDCWD</a>, "b/c", O_RDONLY) = 3</a/b/c>`, whether
/// the file is there or not. A directory is listed and not read.
fn opened(line: &str) -> Option<PathBuf> {
    if line.contains("O_DIRECTORY") {
        return None;
    }
    let (_, call) = line.split_once("openat(")?;
    let (directory, rest) = call.split_once('<')?.1.split_once(">, \"")?;
    let (path, _) = rest.split_once("\", ")?;
    Some(plain(&Path::new(directory).join(path)))
}

/// Makes a call, and adds what it opens below the work tree.
fn watch(repo: &Repo, call: &Call, found: &mut BTreeSet<String>) {
    let trace = repo.world().join("tmp/trace");
    let script = "exec strace -f -qq -y -s 4096 -e trace=openat -o \"$TRACE\" -- \"$@\"";
    let mut command = call.command_in_shell(script);
    command.env("TRACE", &trace).output().unwrap();
    let top = repo.work().canonicalize().unwrap();
    let text = String::from_utf8_lossy(&std::fs::read(&trace).unwrap()).into_owned();
    let below = |path: PathBuf| Some(path.strip_prefix(&top).ok()?.to_str()?.to_owned());
    let all = text.lines().filter_map(opened).filter_map(below);
    found.extend(all.filter(|path| !repo.work().join(path).is_dir()));
}

/// 8/NO-HARM: a file that is read, and holds no trap in these tests, makes this one red.
#[test]
fn every_file_that_is_opened_is_known() {
    let works = Command::new("strace").args(["-qq", "-y", "-e", "trace=openat", "true"]).output();
    if !works.is_ok_and(|output| output.status.success()) {
        return skip("what is opened is shown by strace, which is not here or may not trace");
    }
    let (repo, trap) = hostile();
    repo.git(["config", "coord.enabled", "true"]);
    let mut found = BTreeSet::new();
    for words in questions() {
        watch(&repo, &repo.call("ada").args(&words), &mut found);
    }
    for event in events() {
        let edit = edit_of(&repo.work().join("README.md"));
        watch(&repo, &hook(&repo, &event, &repo.work(), &edit), &mut found);
    }
    trap.was_not_run("looking at what is opened");
    assert!(is_known(".git/objects/pack/x") && found.contains(".git/config"), "{found:#?}");
    let unknown: Vec<&String> = found.iter().filter(|path| !is_known(path)).collect();
    assert!(unknown.is_empty(), "nobody has thought about {unknown:#?}");
}
