//! No secret of any shape is left, and text that is not a secret is.

use proptest::prelude::*;

use super::*;

/// Prefixes of tokens.
const PREFIXES: &str = "\
    AKIA ASIA ABIA ACCA AIza ya29. ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- npm_ pypi- hf_ \
    dop_v1_ sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ whsec_ xoxa- xoxb- xoxp- xoxr- xoxs- \
    xapp- SG. sk-proj- sk-ant- sk- eyJ";

/// For each shape, in the order of the table: text of that shape, the part of it that stays, and a
/// near miss that has no secret of any shape.
const EXAMPLES: [(&str, &str, &str); SHAPES.len()] = [
    (
        "a -----BEGIN EC PRIVATE KEY-----\nMHcCAQ==\n-----END EC PRIVATE KEY----- b",
        "a [redacted] b",
        "-----BEGIN PUBLIC KEY-----\nMFkw\n-----END PUBLIC KEY-----",
    ),
    ("DB_PASSWORD='a b' c", "DB_PASSWORD='[redacted]' c", "tokens: 500, compass: north"),
    ("x --api-key abc y", "x --api-key [redacted] y", "--pass-through abc"),
    ("Bearer a1b2", "Bearer [redacted]", "the bearer of it"),
    ("basic dXNlcjpwYXNz", "basic [redacted]", "basic HTML, basic understanding"),
    ("AKIAIOSFODNN7EXAMPLE", "[redacted]", "AKIAIOSFODNN7, xAKIAIOSFODNN7EXAMPLE"),
    ("k AIzaSyA-0123456789abcdefghijklmnopqrstu", "k [redacted]", "AIzaSyA-0123456789abcdefghijkl"),
    ("ya29.a0AfH6SMBabcdefghijkl", "[redacted]", "ya29.a0AfH6SMB"),
    ("(ghp_0123456789abcdefghij)", "([redacted])", "ghp_0123456789abcdefghi"),
    ("github_pat_0123456789abcdefghij", "[redacted]", "github_pat_0123456789x"),
    ("glpat-0123456789abcdef", "[redacted]", "glpat-0123456789abcde"),
    ("npm_0123456789abcdefghij0123456789", "[redacted]", "npm_config_registry, npm_0123456789x"),
    ("pypi-AgEIcHlwaS5vcmcAgEIcHlwaS5vcmc", "[redacted]", "pypi-publish-action"),
    ("hf_abcdefghijklmnopqrst", "[redacted]", "hf_transfer"),
    ("dop_v1_0123456789abcdef0123456789abcdef", "[redacted]", "dop_v1_0123456789abcdef"),
    ("sk_live_0123456789abcdef", "[redacted]", "sk_live_0123456789x, pk_test_0123456789abcdef"),
    ("whsec_0123456789abcdef", "[redacted]", "whsec_0123456789x"),
    ("xoxb-0123456789x", "[redacted]", "xoxb-012345678, xoxq-0123456789x"),
    ("SG.0123456789abcdefghij", "[redacted]", "SG.0123456789x, MSG.0123456789abcdefghij"),
    ("sk-ant-api03-abcdefghij", "[redacted]", "sk-learn-based-model-selection, sk-1234"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.x", "[redacted]", "eyJhbGciOiJIUzI1NiJ9abcdef"),
    ("amqp://u:p/w@x@mq:5672/v", "amqp://[redacted]@mq:5672/v", "ssh://git@host:22/x, host:80/a@b"),
    ("https://tok@host/x", "https://[redacted]@host/x", "https://host/x@v2"),
    (
        "https://hooks.slack.com/services/T0/B0/x y",
        "https://hooks.slack.com/[redacted] y",
        "https://slack.com/services/T0/B0/x",
    ),
];

/// Each shape finds its own example, and none finds a near miss.
#[test]
fn each_shape_has_an_example_and_a_near_miss() {
    for (shape, (text, clean, near_miss)) in SHAPES.iter().zip(EXAMPLES) {
        let finds = |text: &str| !shape.find(text, &text.to_ascii_lowercase()).is_empty();
        assert!(finds(text), "{}: {text}", shape.about);
        assert_eq!(redact(text), clean);
        assert_eq!(redact(near_miss), near_miss, "{}", shape.about);
    }
}

/// A keyword that is missing or not in lower case would keep a shape from ever being found.
#[test]
fn keywords_miss_no_secret() {
    for (shape, (text, ..)) in SHAPES.iter().zip(EXAMPLES) {
        assert!(shape.regex().is_match(text), "{}", shape.about);
        for keyword in shape.keywords {
            assert_eq!(*keyword, keyword.to_ascii_lowercase(), "{}", shape.about);
        }
    }
    for prefix in PREFIXES.split(' ') {
        let lower = prefix.to_ascii_lowercase();
        let finds = |shape: &&Shape| shape.keywords.iter().any(|keyword| lower.contains(keyword));
        assert!(SHAPES.iter().any(|shape| finds(&shape)), "{prefix}");
    }
}

/// Keys of fields, by themselves.
#[test]
fn names_of_fields_tell_secrets() {
    for name in ["password", "API-Key", "my api key", "x_auth", "pin", "max_tokens", "--token"] {
        assert!(is_secret_key(name), "{name}");
    }
    for name in ["tokens", "author", "compass", "key", "pins", "a/auth"] {
        assert!(!is_secret_key(name), "{name}");
    }
}

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
    let token = (any::<prop::sample::Index>(), "[A-Z0-9]{40}").prop_map(|(place, rest)| {
        let prefixes: Vec<&str> = PREFIXES.split(' ').collect();
        let prefix = *place.get(&prefixes);
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
