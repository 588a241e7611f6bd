//! Runs one page and reports the differences.

use super::expect::Names;
use super::markdown::{self, Block, Step};
use super::session::Session;

/// Lists the faults of a page, each with its place.
pub(super) fn run(name: &str, text: &str) -> Vec<String> {
    let session = Session::new();
    let mut names = Names::default();
    let mut faults = Vec::new();
    let mut printed = String::new();
    for block in markdown::blocks(text) {
        if let Some(clock) = &block.clock {
            session.run(&format!("export GIT_COORD_NOW={clock}")).done();
        }
        let found = match block.info.as_str() {
            "console,norun" if !block.is_excused => vec![no_excuse(&block)],
            "console" => run_console(&session, &mut names, &block),
            "sh" if !block.is_excused => {
                let answer = run_script(&session, &names, &block);
                printed = answer.as_ref().cloned().unwrap_or_default();
                answer.err().into_iter().collect()
            }
            _ if block.is_printed => compare(&mut names, &block, &printed).into_iter().collect(),
            _ => Vec::new(),
        };
        faults.extend(found.into_iter().map(|fault| format!("{name}, {fault}")));
    }
    faults
}

fn no_excuse(block: &Block) -> String {
    format!("line {}: a block that is not run needs '<!-- not run: reason -->'", block.line)
}

fn run_console(session: &Session, names: &mut Names, block: &Block) -> Vec<String> {
    match markdown::steps(block) {
        Ok(steps) => steps.iter().filter_map(|step| run_step(session, names, step)).collect(),
        Err(fault) => vec![fault],
    }
}

fn run_step(session: &Session, names: &mut Names, step: &Step) -> Option<String> {
    let answer = session.run(&names.put_into(&step.command));
    let actual: Vec<&str> = answer.stdout.trim_end().lines().collect();
    let is_same = names.matches(&step.output, &actual) && answer.code == step.code;
    (!is_same).then(|| {
        let Step { line, command, output, code } = step;
        format!(
            "line {line}: $ {command}\nexpected (exit {code}):\n{}\nfound (exit {}):\n{}",
            output.join("\n"),
            answer.code,
            answer.stdout
        )
    })
}

/// Runs a script and returns what it prints.
fn run_script(session: &Session, names: &Names, block: &Block) -> Result<String, String> {
    let script = names.put_into(&block.text.join("\n"));
    let answer = session.run(&format!("set -e\n{script}"));
    match answer.code {
        0 => Ok(answer.stdout),
        code => Err(format!("line {}: exit {code}\n{}", block.line, answer.stdout)),
    }
}

/// Compares a block with what the script before it has printed.
fn compare(names: &mut Names, block: &Block, printed: &str) -> Option<String> {
    let actual: Vec<&str> = printed.trim_end().lines().collect();
    let is_same = names.matches(&block.text, &actual);
    let Block { line, text, .. } = block;
    (!is_same).then(|| format!("line {line}: expected:\n{}\nfound:\n{printed}", text.join("\n")))
}

#[test]
fn a_page_that_tells_the_truth_has_no_faults() {
    let page = "```console\n$ git log --format=%s\nfirst\n$ git nonsense\n...\n? 1\n```\n";
    assert_eq!(run("page", page), Vec::<String>::new());
}

#[test]
fn a_page_that_does_not_is_named_with_its_line() {
    let found = run("page", "```console\n$ echo a\nb\n```\n```console,norun\n```\n");
    assert_eq!(found.len(), 2);
    assert!(found[0].starts_with("page, line 2: $ echo a"), "{found:?}");
}

#[test]
fn the_output_of_a_script_is_compared_where_it_is_shown() {
    let page = |shown| {
        let fence = "<!-- printed: by the block above -->\n```text\n";
        format!("```sh\necho a\necho b\n```\n{fence}{shown}\n```\n")
    };
    assert_eq!(run("page", &page("a\nb")), Vec::<String>::new());
    assert_eq!(run("page", &page("a")).len(), 1);
}
