//! Three sessions of Claude Code in one checkout that edit and commit: no edit is lost, nobody
//! commits another's, and the history records the holder of each file.

use std::collections::BTreeMap;
use std::fs;

use jiff::Timestamp;
use serde_json::Value;

use crate::support::content::Content;
use crate::support::contract::event;
use crate::support::{Call, Repo, race_unproven, rounds};

const SESSIONS: [&str; 3] = ["aaaaaaaa-1", "bbbbbbbb-2", "cccccccc-3"];
const FILES: usize = 3;
/// A thousand rounds take a minute.
const ROUNDS_PER_SECOND: usize = 1_000 / 60;

/// The script of a session. It begins as Claude Code does, and takes its name from the file that it
/// is given. Before each edit it asks; then it reads the file, thinks, and writes it whole,
/// sometimes twice; and commits it, again for as long as another process has git's lock. Prints
/// each edit that it made. Its turn ends after every third try.
const SESSION: &str = r#"
session=$1 seconds=$2 i=0
CLAUDE_ENV_FILE=$TMPDIR/env-$session
export CLAUDE_ENV_FILE
ask() {
    printf '{"session_id":"%s","transcript_path":"/t.jsonl","cwd":"%s","permission_mode":"default",
        "hook_event_name":"%s"%s}' "$session" "$PWD" "$1" "$2" | git-coord hook claude
}
ask SessionStart ',"source":"startup"' >/dev/null || exit
. "$CLAUDE_ENV_FILE"
edit() {
    verdict=$(ask PreToolUse ',"tool_name":"Edit","tool_use_id":"toolu_1","tool_input":
        {"file_path":"'"$PWD/$1"'","old_string":"a","new_string":"b","replace_all":false}') || exit
    case $verdict in
    *'"permissionDecision":"deny"'*) return 1 ;;
    '') ;;
    *) exit 3 ;;
    esac
    before=$(cat "$1")
    sleep 0.02
    printf '%s\n%s %s\n' "$before" "$session" "$2" >"$1"
    echo "$1 $session $2"
}
commit() {
    for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        said=$(git commit --quiet --message "$1" -- "$1" 2>&1) && return
        case $said in
        *index.lock* | *"cannot lock ref"*) sleep 0.05 ;;
        *"'$1'"*) echo "$said" >&2 && exit 4 ;;
        # Another commit came after git had looked at HEAD, and seems to be undone by this one.
        *"is not yours to change"*) sleep 0.05 ;;
        *) echo "$said" >&2 && exit 4 ;;
        esac
    done
    echo "git's lock was there all the time: $said" >&2 && exit 5
}
end=$(($(date +%s) + seconds))
while [ "$(date +%s)" -lt "$end" ] || [ "$i" -lt 6 ]; do
    i=$((i + 1))
    file="src/shared$(((i + $3) % 3)).txt"
    if edit "$file" "$i"; then
        if [ $((i % 2)) -eq 0 ]; then edit "$file" "$i-again" || exit 6; fi
        commit "$file"
    else
        echo denied
        sleep 0.05
    fi
    if [ $((i % 3)) -eq 0 ]; then ask Stop ',"stop_hook_active":false' || exit; fi
done
ask Stop ',"stop_hook_active":false' && ask SessionEnd ',"reason":"other"'
"#;

#[test]
fn no_edit_is_lost() {
    let repo = Repo::with(&Content::clean());
    for file in files() {
        repo.write(&file, "first\n");
    }
    repo.git(["add", "."]);
    repo.git(["commit", "--quiet", "--message", "before"]);
    repo.call("").args(["install", "--agents", "none"]).run_unproven().done();
    repo.git(["config", "coord.trailers", "true"]);
    let seconds = (rounds() / ROUNDS_PER_SECOND).clamp(1, 60).to_string();
    let sessions: Vec<Call> = SESSIONS
        .iter()
        .enumerate()
        .map(|(number, session)| {
            let words = ["-c", SESSION, "sh", session, &seconds, &number.to_string()];
            repo.call("").program("sh").args(words).without_env("GIT_COORD_NOW")
        })
        .collect();
    let outputs = race_unproven(&sessions);
    let printed: Vec<String> =
        outputs.into_iter().flat_map(|output| lines(&output.done().stdout)).collect();
    let made: Vec<&String> = printed.iter().filter(|line| *line != "denied").collect();
    assert!(made.len() >= SESSIONS.len(), "{printed:?}");
    let written: Vec<String> = files()
        .flat_map(|file| {
            edits_in(&repo, &file).into_iter().map(move |edit| format!("{file} {edit}"))
        })
        .collect();
    for edit in &made {
        let times = written.iter().filter(|line| line == edit).count();
        assert_eq!(times, 1, "the edit '{edit}' was overwritten, or made twice");
    }
    assert_eq!(written.len(), made.len(), "nothing else was written");
    assert_eq!(repo.git(["status", "--porcelain"]), "", "everything is committed");
    commits_are_their_authors_own(&repo);
    history_says_who_had_what(&repo);
    assert!(repo.holds().is_empty(), "every turn is over");
    repo.coord("ops", ["ledger", "verify"]).done();
}

fn files() -> impl Iterator<Item = String> {
    (0..FILES).map(|number| format!("src/shared{number}.txt"))
}

/// Lists the additions to a file, in order: a session and the number of its edit.
fn edits_in(repo: &Repo, file: &str) -> Vec<String> {
    let text = fs::read_to_string(repo.work().join(file)).unwrap();
    lines(&text).into_iter().skip(1).collect()
}

fn name_of(session: &str) -> String {
    format!("claude:{}", &session[..8])
}

/// Checks that each commit adds only what its own agent wrote.
fn commits_are_their_authors_own(repo: &Repo) {
    let format = "--format=by %(trailers:key=Coord-Agent,valueonly,separator=)";
    let log = repo.git(["log", "--unified=0", "--patch", format, "HEAD", "^:/before"]);
    let mut by = "";
    let mut count = 0;
    for line in log.lines() {
        if let Some(agent) = line.strip_prefix("by ") {
            by = agent;
        }
        let added = line.strip_prefix('+').filter(|added| !added.starts_with("++"));
        if let Some(added) = added {
            assert_eq!(by, name_of(added), "'{added}' is in a commit of '{by}'");
            count += 1;
        }
    }
    let edits: usize = files().map(|file| edits_in(repo, &file).len()).sum();
    assert_eq!(count, edits, "each edit is in one commit");
}

/// Checks that the ledger gave each file to one agent after the other, never to two at once, and
/// that the edits in it are those of its holders, in their order.
fn history_says_who_had_what(repo: &Repo) {
    let mut holders: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut held: BTreeMap<String, String> = BTreeMap::new();
    let mut last = Timestamp::MIN;
    for event in repo.events("") {
        let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{event:#}")).to_owned();
        let at: Timestamp = text(&event["at"]).parse().unwrap();
        assert!(at >= last, "time goes on: {event:#}");
        last = at;
        let (file, agent) = (text(&event["data"]["pattern"]), text(&event["data"]["holder"]));
        match event["type"].as_str() {
            Some(event::GRANTED) => {
                assert_eq!(event["data"]["via"], "hook", "{event:#}");
                assert_eq!(
                    held.insert(file.clone(), agent.clone()),
                    None,
                    "held by two: {event:#}"
                );
                holders.entry(file).or_default().push(agent);
            }
            Some(event::RELEASED) => assert_eq!(held.remove(&file), Some(agent), "{event:#}"),
            _ => panic!("nothing else happened: {event:#}"),
        }
    }
    assert_eq!(held, BTreeMap::new());
    for file in files() {
        let mut given = holders.remove(&file).unwrap_or_default().into_iter();
        let mut holder = String::new();
        for edit in edits_in(repo, &file) {
            let editor = name_of(&edit);
            while holder != editor {
                let next = given.next();
                holder = next.unwrap_or_else(|| panic!("'{edit}' in '{file}' had no hold"));
            }
        }
    }
    assert_eq!(holders, BTreeMap::new(), "nothing else was held");
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}
