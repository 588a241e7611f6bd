//! Three sessions of Claude Code in one checkout: no edit is lost, and the history says who had
//! what when.

use std::collections::BTreeSet;
use std::fs;

use crate::support::contract::event;
use crate::support::{Call, Repo, race_unproven, rounds};

const SESSIONS: [&str; 3] = ["aaaaaaaa-1", "bbbbbbbb-2", "cccccccc-3"];
const FILES: usize = 3;

/// A session: asks before each edit as Claude Code does, then reads the file, thinks, and writes it
/// whole. Prints each edit that it made. Its turn ends after every third.
const SESSION: &str = r#"
session=$1 count=$2 i=0
stop() {
    printf '{"session_id":"%s","hook_event_name":"Stop"}' "$session" | git-coord hook claude
}
while [ "$i" -lt "$count" ]; do
    file="src/shared$(((i + $3) % 3)).txt"
    verdict=$(printf '{"session_id":"%s","hook_event_name":"PreToolUse","tool_name":"Edit",
        "tool_input":{"file_path":"%s/%s"}}' "$session" "$PWD" "$file" |
        git-coord hook claude) || exit
    case $verdict in
    *'"permissionDecision":"deny"'*) echo denied ;;
    '')
        before=$(cat "$file")
        sleep 0.02
        printf '%s\n%s %s\n' "$before" "$session" "$i" >"$file"
        echo "$file $session $i"
        ;;
    *) exit 3 ;;
    esac
    i=$((i + 1))
    if [ $((i % 3)) -eq 0 ]; then stop || exit; fi
done
stop
"#;

#[test]
fn no_edit_is_lost() {
    let repo = Repo::new();
    repo.git(["config", "coord.enabled", "true"]);
    for number in 0..FILES {
        repo.write(&format!("src/shared{number}.txt"), "first\n");
    }
    let edits = rounds().clamp(12, 200).to_string();
    let sessions: Vec<Call> = SESSIONS
        .iter()
        .enumerate()
        .map(|(number, session)| {
            let words = ["-c", SESSION, "sh", session, &edits, &number.to_string()];
            repo.call("").program("sh").args(words)
        })
        .collect();
    let outputs = race_unproven(&sessions);
    let printed: Vec<String> =
        outputs.into_iter().flat_map(|output| lines(&output.done().stdout)).collect();
    let made: Vec<&String> = printed.iter().filter(|line| *line != "denied").collect();
    assert!(made.len() >= SESSIONS.len(), "{printed:?}");
    let written: BTreeSet<String> = (0..FILES)
        .flat_map(|number| {
            let file = format!("src/shared{number}.txt");
            let text = fs::read_to_string(repo.work().join(&file)).unwrap();
            lines(&text).into_iter().map(move |line| format!("{file} {line}"))
        })
        .collect();
    for edit in made {
        assert!(written.contains(edit), "the edit '{edit}' was overwritten");
    }
    let granted = repo.events(event::GRANTED);
    for session in SESSIONS {
        let agent = format!("claude:{}", &session[..8]);
        assert!(granted.iter().any(|event| event["actor"] == agent), "{agent} had something");
    }
    assert!(granted.iter().all(|event| event["data"]["via"] == "hook"));
    assert!(repo.holds().is_empty(), "every turn is over");
    repo.coord("ops", ["ledger", "verify"]).done();
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}
