//! The agent that acts in a shell of a session. The variables there are the same for all of its
//! subagents, so the tool calls that are open tell them apart.
//!
//! Pure: open shell commands in, a name out.

use crate::core::ids::AgentName;

/// A shell command that is running.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    /// The session or the subagent that runs it.
    pub agent: AgentName,
    /// True if the command runs git, as far as its text tells.
    pub runs_git: bool,
}

/// Finds who acts: the only agent with an open command, or of several the only one whose command
/// runs git. If that does not decide, it is the session, which may do what each of its subagents
/// may.
pub fn acting(session: &AgentName, running: &[Running]) -> AgentName {
    let only = |counts: &dyn Fn(&Running) -> bool| {
        let mut agents = running.iter().filter(|it| counts(it)).map(|it| &it.agent);
        let first = agents.next()?;
        agents.all(|other| other == first).then(|| first.clone())
    };
    let found = only(&|_| true).or_else(|| only(&|it| it.runs_git));
    found.filter(|agent| session.covers(agent)).unwrap_or_else(|| session.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 8/SIBLING: the open command tells who acts, and in doubt it is the session.
    #[test]
    fn the_agent_whose_command_is_open_acts() {
        let acts = |running: &[(&str, bool)]| {
            let running: Vec<Running> = running
                .iter()
                .map(|(agent, runs_git)| Running {
                    agent: agent.parse().unwrap(),
                    runs_git: *runs_git,
                })
                .collect();
            acting(&"s".parse().unwrap(), &running).as_str().to_owned()
        };
        for (running, who) in [
            (&[][..], "s"),
            (&[("s", false)], "s"),
            (&[("s/a", false)], "s/a"),
            (&[("s/a", false), ("s/a", true)], "s/a"),
            (&[("s/a", true), ("s/b", false)], "s/a"),
            (&[("s", false), ("s/b", true)], "s/b"),
            (&[("s", true), ("s/b", false)], "s"),
            (&[("s/a", true), ("s/b", true)], "s"),
            (&[("s/a", false), ("s/b", false)], "s"),
            (&[("other/a", true)], "s"),
        ] {
            assert_eq!(acts(running), who, "{running:?}");
        }
    }
}
