//! Tests of how errors are shown.

use serde_json::json;

use super::*;
use crate::cli::term::Manner;
use crate::cli::term::tests::captured;

const JSON: Manner = Manner { json: true, quiet: false, color: None };

fn held() -> Problem {
    let next = ["git", "coord", "list", "--holder=alice"].map(str::to_owned).to_vec();
    Problem::refused("held", "'src' is held by 'alice'")
        .with("holder", "alice")
        .with_next(next)
        .with_hint(Hint::advice(Advice::Held, "see what they hold: git coord list"))
        .with_hint(Hint::advice(Advice::Held, "or wait 12m"))
}

#[test]
fn a_refusal_says_what_to_do_and_how_to_silence_that() {
    let (mut ui, out, err) = captured(Manner::default(), Vec::new());
    assert_eq!(held().report(&mut ui).expect("written"), ExitCode::No);
    assert_eq!(out.text(), "");
    let expected = "error: 'src' is held by 'alice'\n\
                    hint: see what they hold: git coord list\n\
                    hint: or wait 12m\n\
                    hint: turn this off with: git config advice.coordHeld false\n";
    assert_eq!(err.text(), expected);
}

#[test]
fn silenced_advice_is_not_shown_and_plain_hints_are() {
    let (mut ui, _, err) = captured(Manner::default(), vec![Advice::Held]);
    let error = held().with_hint(Hint::plain("did you mean 'x'?"));
    error.report(&mut ui).expect("written");
    assert_eq!(err.text(), "error: 'src' is held by 'alice'\nhint: did you mean 'x'?\n");
}

#[test]
fn a_refusal_in_json_is_one_object_on_stdout() {
    let (mut ui, out, err) = captured(JSON, Vec::new());
    held().report(&mut ui).expect("written");
    let expected = json!({
        "schema": 1, "ok": false,
        "refusal": {
            "code": "held", "message": "'src' is held by 'alice'", "holder": "alice",
            "next": [["git", "coord", "list", "--holder=alice"]],
        },
    });
    assert_eq!(out.text(), format!("{expected}\n"));
    assert_eq!(err.text(), "");
}

#[test]
fn other_errors_in_json_carry_kind_and_message() {
    let (mut ui, out, _) = captured(JSON, Vec::new());
    let error = Problem::new(Kind::Busy, "others keep writing");
    assert_eq!(error.report(&mut ui).expect("written"), ExitCode::Busy);
    let busy = json!({ "kind": "busy", "code": "busy", "message": "others keep writing" });
    let expected = json!({ "schema": 1, "ok": false, "error": busy });
    assert_eq!(out.text(), format!("{expected}\n"));
}

#[test]
fn causes_follow_after_colons() {
    let error =
        crate::app::config::Settings::read(&|key| (key == "coord.wait").then(|| "soon".to_owned()))
            .expect_err("no duration");
    let shown = Problem::from(error);
    assert_eq!(
        shown.message,
        "bad value 'soon' for config key 'coord.wait': \
         expected a whole number and a unit, such as 90s, 15m, 2h or 7d"
    );
    assert_eq!(exit_code(&shown), ExitCode::Failure);
}
