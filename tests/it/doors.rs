//! Requests that come through another door than the command line: the rules are the same.

use git_coord::app::Ctx;
use git_coord::app::domains::set;
use git_coord::app::events::reader::{self, Reader};
use git_coord::app::negotiation::{What, answer, inbox};
use git_coord::app::open::{Door, Pace};
use git_coord::app::ownership::{adopt, changes};
use git_coord::app::problem::{Kind, Problem};
use git_coord::app::rescue::{drop, restore};
use git_coord::app::reservations::{list, release, renew, reserve};
use git_coord::core::environment::Environment;
use git_coord::core::ids::AgentName;
use git_coord::core::negotiation::answer::Verdict;
use git_coord::core::pattern::Reading;
use git_coord::core::text::Line;

use crate::ownership::{ALICE, BOB, edits, hooked, stops};
use crate::support::Repo;

/// Opens the repository as a program does that has no words of a command line.
fn opened(repo: &Repo, agent: &str) -> Ctx {
    let variables = ["PATH", "HOME"].map(|name| (name, std::env::var_os(name).unwrap_or_default()));
    let now = ("GIT_COORD_NOW", repo.now().into());
    let environment: Environment = variables.into_iter().chain([now]).collect();
    let door = Door::find(&environment.at(repo.work().canonicalize().unwrap())).unwrap();
    let agent: AgentName = agent.parse().unwrap();
    door.open(Some(&agent), door.settings().unwrap(), Pace::Command).unwrap()
}

/// Expects wrong usage.
fn makes_no_sense<T: std::fmt::Debug>(what: &str, answer: Result<T, Problem>) {
    let problem = answer.expect_err(what);
    assert_eq!(problem.kind, Kind::Usage, "{what}: {problem:?}");
}

/// 7/ANY-DOOR: a request that names nothing takes nothing of anybody.
#[test]
fn nothing_is_not_everything() {
    let repo = hooked();
    edits(&repo, ALICE, "src/main.rs", "alice\n");
    stops(&repo, ALICE);
    repo.reserve_id(BOB, "docs/guide.md");
    let (tip, reason) = (repo.tip(), Line::new("r").unwrap());
    let ctx = opened(&repo, BOB);
    let request = |all| adopt::Request { paths: &[], from: None, all, reason: &reason };
    makes_no_sense("adopt", adopt::adopt(&ctx, &request(false)));
    let request = renew::Request { words: &[], locks: &[], mine: false, ttl: None };
    makes_no_sense("renew", renew::renew(&ctx, &request));
    let none = release::Request { words: &[], paths: &[], locks: &[], mine: false, force: None };
    makes_no_sense("release", release::release(&ctx, &none));
    let forced = release::Request { mine: true, force: Some(&reason), ..none };
    makes_no_sense("release by force", release::release(&ctx, &forced));
    let request = reserve::Request::new(Vec::new(), Vec::new(), Reading::Glob);
    let mut asker = opened(&repo, BOB);
    makes_no_sense("reserve", reserve::reserve(&mut asker, &request, &mut |_, _, _| ()));
    let request = set::Request { domains: &[], source: None, reason: &reason, confidence: None };
    makes_no_sense("domain set", set::set(&ctx, &request));
    let words = &[];
    let request = restore::Request { words, worktree: None, to: None, force: false };
    makes_no_sense("rescue restore", restore::restore(&ctx, &request));
    makes_no_sense("rescue drop", drop::drop(&ctx, &drop::Request { ids: &[], all: false }));
    assert_eq!(repo.tip(), tip);
    let adopted = adopt::adopt(&ctx, &request_of_all(&reason)).unwrap().body.adopted;
    assert_eq!(adopted.len(), 1, "everything is had by saying so");
}

fn request_of_all(reason: &Line) -> adopt::Request<'_> {
    adopt::Request { paths: &[], from: None, all: true, reason }
}

/// 7/ANY-DOOR: what the parser of the command line forbids together is forbidden to every door.
#[test]
fn what_excludes_each_other_is_wrong_usage() {
    let repo = Repo::new();
    let reason = Line::new("r").unwrap();
    let (ctx, bob): (Ctx, AgentName) = (opened(&repo, BOB), BOB.parse().unwrap());
    let request = adopt::Request { from: Some(&bob), ..request_of_all(&reason) };
    makes_no_sense("adopt", adopt::adopt(&ctx, &request));
    let request = list::Request {
        holder: Some(&bob),
        mine: true,
        path: None,
        lock: None,
        locks_only: false,
        expired_too: false,
        limit: None,
    };
    makes_no_sense("list", list::list(&ctx, &request));
    let request = changes::Request {
        paths: &[],
        mine: true,
        agent: Some(&bob),
        check: false,
        finds_saved: false,
    };
    makes_no_sense("changes", changes::changes(&ctx, &request));
    let request = reader::Request {
        ledger: None,
        run: None,
        event_type: None,
        since: Some(reader::Start::Place("reservations".parse().unwrap(), 1)),
        consumer: Some(&bob),
        limit: None,
    };
    makes_no_sense("events", Reader::begin(&ctx, &request).map(|_| ()));
    let thread = "mfq4x7yn".parse().unwrap();
    let (since, thread) = (None, Some(&thread));
    let request =
        inbox::Request { since, limit: None, kind: None, unread: true, acks: &[], thread };
    makes_no_sense("inbox", inbox::inbox(&ctx, &request));
    for (verdict, whole) in [
        (Verdict::Refuse { reason: reason.clone() }, true),
        (Verdict::Defer { seconds: 0, reason: reason.clone() }, false),
        (Verdict::Defer { seconds: 3_601, reason: reason.clone() }, false),
    ] {
        let which = What::Word("src".into());
        let request = answer::Request { which, verdict, whole };
        makes_no_sense("answer", answer::answer(&ctx, &request));
    }
}
