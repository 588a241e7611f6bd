//! No secret of any shape is left, and text that is not a secret is.

use proptest::prelude::*;

use super::*;

/// A secret in its surroundings: the text, and the part that must be gone.
fn secret() -> impl Strategy<Value = (String, String)> {
    let bare = "[A-Za-z0-9!#$%&*+,./;?@^_~-]{6,24}";
    let key = prop_oneof![
        Just("secret"),
        Just("API_KEY"),
        Just("aws_secret_access_key"),
        Just("db.password"),
        Just("GITHUB_TOKEN"),
        Just("AccountKey"),
        Just("client-secret"),
        Just("auth"),
        Just("passphrase"),
    ];
    let sign = prop_oneof![Just("="), Just(": "), Just(" = "), Just(" => "), Just(":")];
    let assigned = (key.clone(), sign.clone(), bare)
        .prop_map(|(key, sign, value)| (format!("{key}{sign}{value}"), value));
    let quoted = (key.clone(), sign, "[A-Za-z0-9 ,;{}]{5,20}x", prop_oneof![Just('"'), Just('\'')])
        .prop_map(|(key, sign, value, quote)| {
            (format!("{quote}{key}{quote}{sign}{quote}{value}{quote}"), value)
        });
    let option = bare.prop_map(|value| (format!("--db-password {value}"), value));
    let bearer = "[A-Za-z0-9._~+/-]{8,40}=";
    let bearer = (prop_oneof![Just("Bearer"), Just("Authorization: Bearer")], bearer)
        .prop_map(|(word, value)| (format!("{word} {value}"), value));
    let block = "[A-Za-z0-9+/]{20,60}".prop_map(|value| {
        let kind = "RSA PRIVATE KEY";
        (format!("-----BEGIN {kind}-----\n{value}\n-----END {kind}-----"), value)
    });
    let cut_block = "[A-Za-z0-9+/]{20,60}"
        .prop_map(|value| (format!("-----BEGIN PRIVATE KEY-----\n{value}"), value));
    let token = (0..TOKENS.len(), "[A-Z0-9]{40}").prop_map(|(place, rest)| {
        let (prefix, _) = TOKENS[place];
        let dot = if prefix == "eyJ" { "0.1" } else { "0" };
        let value = format!("{prefix}{dot}{rest}");
        (value.clone(), value)
    });
    let connection = (
        prop_oneof![Just("postgres"), Just("https"), Just("amqp"), Just("mongodb+srv")],
        "[a-z]{1,6}",
        "[A-Za-z%_/-][A-Za-z0-9:/@%_-]{3,15}x",
    )
        .prop_map(|(scheme, user, password)| {
            (format!("{scheme}://{user}:{password}@db.example:5432/main"), password)
        });
    let webhook = "[A-Za-z0-9]{8}/[A-Za-z0-9]{20}"
        .prop_map(|value| (format!("https://hooks.slack.com/services/{value}"), value));
    prop_oneof![assigned, quoted, option, bearer, block, cut_block, token, connection, webhook]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn no_secret_is_left(
        before in "[a-z]{0,8}( |\n|é )",
        (text, value) in secret(),
        after in "( [a-zé ]{0,12})?",
    ) {
        let clean = redact(&format!("{before}{text}{after}"));
        prop_assert!(!clean.contains(&value), "{clean}");
        prop_assert!(clean.contains(REDACTED), "{clean}");
        prop_assert!(clean.starts_with(&before), "what stands before it stays: {clean}");
        prop_assert_eq!(redact(&clean), clean.clone(), "once is enough");
    }

    #[test]
    fn any_text_can_be_cleaned(text in any::<String>()) {
        let clean = redact(&text);
        prop_assert_eq!(redact(&clean), clean.clone(), "{}", clean);
    }
}

/// 1c.5: a value needs no quotes to be a secret.
#[test]
fn a_plain_value_is_a_secret() {
    assert_eq!(redact("secret=plain"), "secret=[redacted]");
    assert_eq!(redact("{\"password\": \"a b\"}"), "{\"password\": \"[redacted]\"}");
    assert_eq!(redact("Authorization: Basic abc"), "Authorization: [redacted]");
    assert_eq!(redact("postgres://u:p@h/db"), "postgres://[redacted]@h/db");
}

/// Shapes that the documentation names, in the forms that are easily missed.
#[test]
fn a_secret_is_found_in_odd_clothes() {
    for (text, clean) in [
        ("api key: hunter2abc", "api key: [redacted]"),
        ("the Private Key = x", "the Private Key = [redacted]"),
        ("private_key_pem=x", "private_key_pem=[redacted]"),
        ("{\\\"password\\\":\\\"x y\\\"}", "{\\\"password\\\":\\\"[redacted]\\\"}"),
        ("\\\"token\\\": \\\"a\\\\\\\"b\\\" c", "\\\"token\\\": \\\"[redacted]\\\" c"),
        ("Bearer a1b2", "Bearer [redacted]"),
        ("sk-proj-abcdefghijklmnopqrstuvwx", "[redacted]"),
        ("sk-abcdefghijklmnopqrstuvwx", "[redacted]"),
    ] {
        assert_eq!(redact(text), clean);
        assert_eq!(redact(clean), clean, "once is enough");
    }
}

#[test]
fn what_is_no_secret_stays() {
    for text in [
        "flagged `unwrap()` in tests, which is fine here",
        "500 tokens: 12% over",
        "author: Ada",
        "see https://example.com:8080/a@v2 and ssh://git@host/x",
        "commit 1f0e3dad99908345f7439f8ffabdffc4a8c0b1d2",
        "a basic understanding of task-runner-configuration",
        "the bearer of bad news",
        "he was its bearer once.",
        "sk-learn-based-model-selection",
        "the key: x, and a private keyboard: y",
        "passes: 3",
        "compass: north",
    ] {
        assert_eq!(redact(text), text);
    }
}
