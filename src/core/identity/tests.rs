//! Tests of who a command belongs to.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::programs::signs;
use super::testing::process;
use super::*;

const ALONE: fn() -> Vec<Ancestor> = Vec::new;

fn environment(variables: &[(&str, &str)]) -> Environment {
    variables.iter().copied().collect()
}

fn session(id: &str, subagent: Option<&str>) -> Who {
    Who::Session { id: id.to_owned(), subagent: subagent.map(str::to_owned) }
}

/// 8/NOBODY-FOR-SOMEBODY: each known program's variables tell the session, and the subagent.
#[test]
fn the_variables_of_the_known_programs_tell_the_session() {
    for (variables, kind, variable, who) in [
        (
            &[("CLAUDE_CODE_SESSION_ID", "s"), ("CLAUDECODE", "1")][..],
            "claude",
            0,
            session("s", None),
        ),
        (&[("CODEX_SESSION_ID", "s"), ("CODEX_THREAD_ID", "s")], "codex", 0, session("s", None)),
        (
            &[("CODEX_SESSION_ID", "s"), ("CODEX_THREAD_ID", "t")],
            "codex",
            0,
            session("s", Some("t")),
        ),
        (&[("CODEX_THREAD_ID", "t")], "codex", 0, session("t", None)),
        (
            &[("COPILOT_AGENT_SESSION_ID", "s"), ("COPILOT_CLI", "1")],
            "copilot",
            0,
            session("s", None),
        ),
        (
            &[("CURSOR_CONVERSATION_ID", "s"), ("CURSOR_AGENT", "1")],
            "cursor",
            0,
            session("s", None),
        ),
        (
            &[("QWEN_CODE_SESSION_ID", "s"), ("QWEN_CODE_AGENT_ID", "a")],
            "qwen",
            0,
            session("s", Some("a")),
        ),
    ] {
        let expected =
            DetectedAgent { kind: kind.to_owned(), variable: variables[variable].0, who };
        let never = || panic!("the variables suffice");
        assert_eq!(detect(&environment(variables), never), Some(expected), "{variables:?}");
    }
    assert_eq!(detect(&environment(&[("GEMINI_CLI", "")]), || panic!("nothing is set")), None);
}

/// 8/NOBODY-FOR-SOMEBODY: a mark is an agent even where no process can be seen.
#[test]
fn a_mark_is_never_a_person() {
    for (variable, value, kind) in [
        ("CLAUDECODE", "1", "claude"),
        ("GEMINI_CLI", "1", "gemini"),
        ("OPENCODE", "1", "opencode"),
        ("CURSOR_AGENT", "1", "cursor"),
        ("AGENT", "1", "agent"),
        ("AGENT", "true", "agent"),
        ("AGENT", "Amp", "amp"),
        ("AGENT", "two words", "agent"),
    ] {
        let expected = DetectedAgent { kind: kind.to_owned(), variable, who: Who::Process(None) };
        assert_eq!(detect(&environment(&[(variable, value)]), ALONE), Some(expected));
    }
}

#[test]
fn a_program_that_an_agent_started_counts_before_it() {
    let variables = environment(&[("CLAUDE_CODE_SESSION_ID", "s"), ("GEMINI_CLI", "1")]);
    let claude = process(2, "claude", "claude");
    let gemini = process(4, "node", "node /opt/gemini.js");
    let chain =
        vec![process(5, "bash", "bash"), gemini.clone(), process(3, "bash", "bash"), claude];
    let inner = detect(&variables, || chain.clone()).expect("two marks are set");
    assert_eq!((inner.kind.as_str(), inner.who), ("gemini", Who::Process(Some(gemini.process))));
    let outer = detect(&variables, || chain[2..].to_vec()).expect("two marks are set");
    assert_eq!((outer.kind.as_str(), outer.who), ("claude", session("s", None)));
}

#[test]
fn a_told_process_counts_if_it_is_above_the_command() {
    let chain =
        vec![process(5, "bash", "bash"), process(4, "bun", "bun run x"), process(3, "bash", "")];
    let at = |pid: &str| {
        let variables = environment(&[("OPENCODE", "1"), ("OPENCODE_PID", pid)]);
        detect(&variables, || chain.clone()).map(|agent| agent.who)
    };
    assert_eq!(at("3"), Some(Who::Process(Some(chain[2].process.clone()))));
    let nearest = Some(Who::Process(Some(chain[1].process.clone())));
    assert_eq!(at("99"), nearest, "no process above has that number");
}

/// One process of a model of a machine: what starts it, and what it adds for those it starts.
#[derive(Clone, Copy, Debug)]
enum Started {
    Shell,
    /// Some program that is no agent.
    Other,
    /// A program of this number in [`PROGRAMS`] that shows only its mark. A wrapped program runs
    /// under another name.
    Agent {
        program: usize,
        wrapped: bool,
    },
}

/// The numbers of the programs that have a mark.
fn marked() -> impl Strategy<Value = usize> {
    let all: Vec<usize> = (0..PROGRAMS.len()).filter(|one| PROGRAMS[*one].mark.is_some()).collect();
    proptest::sample::select(all)
}

fn started() -> impl Strategy<Value = Started> {
    prop_oneof![
        3 => Just(Started::Shell),
        2 => Just(Started::Other),
        2 => (marked(), any::<bool>())
            .prop_map(|(program, wrapped)| Started::Agent { program, wrapped }),
    ]
}

/// Plays the processes from the first to the command. Returns the variables of the command, the
/// processes above it, the nearest first, and the innermost agent.
fn play(
    chain: &[Started],
    first_pid: u32,
) -> (Environment, Vec<Ancestor>, Option<(usize, Process)>) {
    let mut variables: BTreeMap<&'static str, &str> = BTreeMap::new();
    let mut above = Vec::new();
    let mut innermost = None;
    for (pid, started) in (first_pid..).zip(chain) {
        let given: Vec<&'static str> = variables.keys().copied().collect();
        let named = |program: &Program| program.names.first().copied().unwrap_or("some-agent");
        let mut one = match started {
            Started::Shell => process(pid, "bash", "bash -c x"),
            Started::Other => process(pid, "make", "make all"),
            Started::Agent { program, wrapped } => {
                let program = &PROGRAMS[*program];
                let mark = program.mark.expect("only programs with a mark are chosen");
                // Nobody could tell it from the agent that started it: it runs under another name,
                // and the mark is there before.
                let is_hidden = *wrapped || program.names.is_empty();
                if is_hidden && variables.contains_key(mark) {
                    continue;
                }
                variables.insert(mark, "1");
                let name = if *wrapped { "wrapped" } else { named(program) };
                process(pid, name, name)
            }
        };
        one.shares = Some(given);
        if let Started::Agent { program, .. } = started {
            innermost = Some((*program, one.process.clone()));
        }
        above.insert(0, one);
    }
    // A process shares a variable if the command has it too, with the same value.
    (variables.into_iter().collect(), above, innermost)
}

proptest! {
    /// 8/NOBODY-FOR-SOMEBODY: the name comes from the innermost agent of the model.
    #[test]
    fn a_command_belongs_to_the_innermost_agent(chain in prop::collection::vec(started(), 0..8)) {
        let (variables, above, innermost) = play(&chain, 100);
        let expected = innermost.map(|(program, process)| DetectedAgent {
            kind: PROGRAMS[program].kind.to_owned(),
            variable: PROGRAMS[program].mark.expect("it has a mark"),
            who: Who::Process(Some(process)),
        });
        prop_assert_eq!(detect(&variables, || above), expected);
    }

    /// 8/NOBODY-FOR-SOMEBODY: an agent has one name over its commands, and two agents have two.
    #[test]
    fn two_agents_have_two_names_that_stay(
        program in marked(),
        wrapped in any::<bool>(),
        ways in prop::collection::vec(prop::collection::vec(any::<bool>(), 0..4), 2..4),
    ) {
        let name = |first_pid: u32, way: &[bool]| {
            let between =
                way.iter().map(|shell| if *shell { Started::Shell } else { Started::Other });
            let agent = [Started::Shell, Started::Agent { program, wrapped }];
            let chain: Vec<Started> = agent.into_iter().chain(between).collect();
            let (variables, above, _) = play(&chain, first_pid);
            match detect(&variables, || above).map(|agent| agent.who) {
                Some(Who::Process(Some(process))) => id_of(&process),
                other => panic!("no process: {other:?}"),
            }
        };
        let names: Vec<String> = ways.iter().map(|way| name(100, way)).collect();
        prop_assert!(names.iter().all(|one| *one == names[0]));
        prop_assert_ne!(&name(200, &ways[0]), &names[0]);
    }

    /// Where the system hides variables, as macOS does, the nearest process that is no shell
    /// counts.
    #[test]
    fn hidden_variables_leave_the_nearest_program(
        chain in prop::collection::vec(any::<bool>(), 1..8),
    ) {
        let above: Vec<Ancestor> = (100..)
            .zip(&chain)
            .map(|(pid, shell)| process(pid, if *shell { "zsh" } else { "amp" }, ""))
            .collect();
        let nearest = above.iter().find(|one| one.program == "amp").map(|one| one.process.clone());
        let who = detect(&environment(&[("AGENT", "amp")]), || above).map(|agent| agent.who);
        prop_assert_eq!(who, Some(Who::Process(nearest)));
    }
}

#[test]
fn an_id_tells_the_run_of_a_process() {
    let one = process(7, "x", "").process;
    let later = Process { started: "2".parse().ok(), ..one.clone() };
    let elsewhere = Process { host: "other".parse().unwrap(), ..one.clone() };
    assert_eq!(id_of(&one).len(), 16);
    assert_eq!(id_of(&one), id_of(&one.clone()));
    assert!(id_of(&one) != id_of(&later) && id_of(&one) != id_of(&elsewhere));
    assert_eq!(signs().collect::<std::collections::BTreeSet<_>>().len(), signs().count());
}
