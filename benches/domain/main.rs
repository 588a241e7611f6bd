//! The cost of checking whether an answer about a large project is still valid, against `git
//! status`.
//!
//! `cargo bench --bench domain` makes a repository of 100,000 files in 2,211 directories, 100
//! projects among them, with 50,000 commits, and prints a row as `--bench ledger` does. Nothing is
//! asserted.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, or stops")]

#[path = "../ledger/repository.rs"]
#[expect(dead_code, reason = "the other bench needs more of it")]
mod repository;
#[path = "../ledger/table.rs"]
#[expect(dead_code, reason = "the other bench needs more of it")]
mod table;

use std::io::{BufWriter, Write as _};
use std::process::Stdio;

use repository::{GIT_COORD, Repository};
use table::compared;

const COMMITS: usize = 50_000;
/// The number of directories at each level, and of files in each of the last.
const LEVELS: [usize; 4] = [10, 20, 10, 50];

fn main() {
    let repository = large();
    repository.run(GIT_COORD, &["-q", "domain", "detect"]);
    // Both run once before, so that neither reads from the disk for the first time.
    repository.run("git", &["status", "--short"]);
    table::head();
    let check = || repository.run(GIT_COORD, &["-q", "domain", "check"]);
    let status = || repository.run("git", &["status", "--short"]);
    let what = "`domain check` / `git status`, 100,000 files, 50,000 commits";
    compared(what, "0.5x", check, status);
}

fn large() -> Repository {
    let repository = Repository::new();
    let mut import = repository.command("git", &["fast-import", "--quiet", "--force"]);
    let mut child = import.stdin(Stdio::piped()).spawn().unwrap();
    let mut stream = BufWriter::new(child.stdin.take().unwrap());
    for number in 0..COMMITS {
        let who = format!("b <b@example.org> {} +0000", 1_700_000_000 + number);
        write!(stream, "commit refs/heads/large\ncommitter {who}\ndata 1\nx\n").unwrap();
        if number == 0 {
            write_files(&mut stream);
        }
        write_file(&mut stream, "notes", &number.to_string());
    }
    stream.flush().unwrap();
    drop(stream);
    assert!(child.wait().unwrap().success());
    repository.run("git", &["checkout", "-q", "large"]);
    repository
}

fn write_files(stream: &mut impl std::io::Write) {
    let [first, second, third, files] = LEVELS;
    for (one, two) in (0..first).flat_map(|one| (0..second).map(move |two| (one, two))) {
        if two % 2 == 0 {
            let manifest = r#"{"dependencies":{"express":"4","koa":"2"}}"#;
            write_file(stream, &format!("d{one}/d{two}/package.json"), manifest);
        }
        for (three, file) in (0..third).flat_map(|three| (0..files).map(move |f| (three, f))) {
            write_file(stream, &format!("d{one}/d{two}/d{three}/file{file}.ts"), "export {}\n");
        }
    }
}

fn write_file(stream: &mut impl std::io::Write, path: &str, text: &str) {
    write!(stream, "M 100644 inline {path}\ndata {}\n{text}\n", text.len()).unwrap();
}
