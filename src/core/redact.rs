//! Secrets in text: found by their shape and redacted before anything is recorded.
//!
//! Entries are pushed, and nobody can take them back. So the shapes err on the side of too much: a
//! bare value goes on to the next blank, a quoted one to its closing quote, and a token may be
//! shorter than its service makes them.

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use regex_lite::Regex;

/// Replaces a secret.
pub const REDACTED: &str = "[redacted]";

/// A shape of secrets.
pub struct Shape {
    /// Describes the shape for the documentation.
    pub about: &'static str,
    /// The ids of gitleaks' rules for such secrets; empty if it has none.
    pub gitleaks: &'static str,
    /// A text without any of these, in lower case, has no such secret, and the pattern is not
    /// compiled for it.
    keywords: &'static [&'static str],
    /// Group 1 is the secret. With a group 2, group 1 is a key, and its value begins at group 2.
    pattern: &'static str,
    /// Set if the whole pattern is the secret, unless a letter or digit stands before it.
    is_token: bool,
    /// Bytes of the shortest secret.
    least: usize,
    regex: OnceLock<Regex>,
}

/// The words that make a key the key of a secret.
macro_rules! key_words {
    () => {
        "(?:secret|token|passw(?:or)?d|passphrase|pwd|credential|authorization\
         |(?:api|access|account|private)[_-]?key)"
    };
}

/// Every shape that is redacted.
pub static SHAPES: [Shape; 24] = [
    shape(
        "private key blocks, from BEGIN to END or to the end of the text",
        "private-key",
        &["private key"],
        r"(?is)(-----BEGIN(?:-{0,4}[^-])*?-{0,4}PRIVATE KEY.*?(?:-----END.*?(?:-----|\z)|\z))",
    ),
    shape(
        "key=value and key: value, where the key has secret, token, password, passwd, passphrase, \
         pwd, api key, access key, account key, private key, credential or authorization in it, \
         however its words are joined, or ends in auth, pass or pin; also with a quoted value, as \
         in JSON, also escaped, in YAML and shells",
        "generic-api-key",
        &["secret", "token", "pass", "pwd", "credential", "auth", "key", "pin"],
        concat!(
            r"(?i)([\w.-]*",
            key_words!(),
            r"[\w.-]*|(?:\b|_)(?:auth|pass|pin)|\b(?:api|access|account|private) key)",
            r#"(?:\\*["'`])?[ \t]*[=:>]+[ \t]*()"#
        ),
    ),
    shape(
        "--password value and other options with such a key",
        "generic-api-key",
        &["--"],
        concat!(
            r"(?i)(?:^|[^\w.-])(--(?:[\w.-]*",
            key_words!(),
            r#"[\w.-]*|(?:[\w.-]*[_.-])?(?:auth|pass|pin)))(?:\\*["'`])?[ \t]+()[^=:>]"#
        ),
    ),
    // 'basic understanding' and 'the bearer of it' are prose; credentials are hardly ever all of
    // small letters.
    shape(
        "bearer credentials of 8 characters or more, and shorter ones with more than small letters",
        "curl-auth-header",
        &["bearer"],
        concat!(
            r"(?:^|[^\w.-])(?i:bearer)[ \t]+",
            r"(\S{8,}|\S[a-z]*(?:[^a-z\s.,;:!?)]|[.,;:!?)]+[^\s.,;:!?)])\S*)"
        ),
    ),
    shape(
        "basic credentials of 8 characters or more, with more than small letters",
        "curl-auth-header",
        &["basic"],
        concat!(
            r"(?:^|[^\w.-])(?i:basic)[ \t]+",
            r"(\S[a-z]*(?:[^a-z\s.,;:!?)]|[.,;:!?)]+[^\s.,;:!?)])\S*)"
        ),
    )
    .of_at_least(8),
    token(
        "AWS: AKIA, ASIA, ABIA, ACCA",
        "aws-access-token",
        &["akia", "asia", "abia", "acca"],
        r"(?:A[BKS]IA|ACCA)[\w.-]{16,}",
    ),
    token("Google: AIza", "gcp-api-key", &["aiza"], r"AIza[\w.-]{30,}"),
    token("Google: ya29.", "", &["ya29."], r"ya29\.[\w.-]{20,}"),
    token(
        "GitHub: ghp_, gho_, ghu_, ghs_, ghr_",
        "github-pat, github-oauth, github-app-token, github-refresh-token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"gh[pousr]_[\w.-]{20,}",
    ),
    token(
        "GitHub: github_pat_",
        "github-fine-grained-pat",
        &["github_pat_"],
        r"github_pat_[\w.-]{20,}",
    ),
    token("GitLab: glpat-", "gitlab-pat", &["glpat-"], r"glpat-[\w.-]{16,}"),
    token("npm: npm_", "npm-access-token", &["npm_"], r"npm_[\w.-]{30,}"),
    token("PyPI: pypi-", "pypi-upload-token", &["pypi-"], r"pypi-[\w.-]{30,}"),
    token("Hugging Face: hf_", "huggingface-access-token", &["hf_"], r"hf_[\w.-]{20,}"),
    token("DigitalOcean: dop_v1_", "digitalocean-pat", &["dop_v1_"], r"dop_v1_[\w.-]{30,}"),
    token(
        "Stripe: sk_ and rk_ with live_, test_ or prod_, and pk_live_",
        "stripe-access-token",
        &["k_live_", "k_test_", "k_prod_"],
        r"(?:[sr]k_(?:live|test|prod)|pk_live)_[\w.-]{16,}",
    ),
    token("Stripe: whsec_", "", &["whsec_"], r"whsec_[\w.-]{16,}"),
    token(
        "Slack: xoxa-, xoxb-, xoxe-, xoxo-, xoxp-, xoxr-, xoxs-, xapp-",
        "slack-bot-token, slack-user-token, slack-app-token, slack-legacy-token, \
         slack-legacy-workspace-token",
        &["xox", "xapp-"],
        r"(?:xox[abeoprs]|xapp)-[\w.-]{10,}",
    ),
    token("SendGrid: SG.", "sendgrid-api-token", &["sg."], r"SG\.[\w.-]{20,}"),
    // Words with hyphens between them are no key.
    token(
        "OpenAI, Anthropic: sk-proj-, sk-ant-, and sk- with a digit or with 20 letters in a row",
        "openai-api-key, anthropic-api-key",
        &["sk-"],
        concat!(
            r"sk-(?:(?:proj|ant)-[\w.-]{16,}",
            r"|[\w.-]*[0-9][\w.-]*|(?:[\w.-]*-)?[\w.]{20,}[\w.-]*)"
        ),
    )
    .of_at_least(19),
    token("JSON web tokens: eyJ", "jwt", &["eyj"], r"eyJ[\w.-]*\.[\w.-]*").of_at_least(23),
    // A port is digits and nothing else. A password may have a slash or an @ in it.
    shape(
        "connection strings and addresses with user and password",
        "",
        &[":/"],
        r#":/{1,2}([^\s"'`<>/?#:]*:(?:[0-9]*(?:[^\s"'`<>/?#0-9][^\s"'`<>]*)?|[/?#][^\s"'`<>]*))@"#,
    ),
    shape("the user of a web address", "", &["http"], r#"https?:/{1,2}([^\s"'`<>/?#]+)@"#),
    shape(
        "webhook addresses of Slack, Teams and Discord",
        "slack-webhook-url, microsoft-teams-webhook",
        &["hooks.slack.com/", "webhook.office.com/", "/api/webhooks/"],
        r"(?:hooks\.slack\.com|webhook\.office\.com|discord(?:app)?\.com/api/webhooks)/(\S+)",
    ),
];

const fn shape(
    about: &'static str,
    gitleaks: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> Shape {
    let regex = OnceLock::new();
    Shape { about, gitleaks, keywords, pattern, is_token: false, least: 1, regex }
}

const fn token(
    about: &'static str,
    gitleaks: &'static str,
    keywords: &'static [&'static str],
    pattern: &'static str,
) -> Shape {
    let mut token = shape(about, gitleaks, keywords, pattern);
    token.is_token = true;
    token
}

impl Shape {
    const fn of_at_least(mut self, least: usize) -> Shape {
        self.least = least;
        self
    }

    fn regex(&self) -> &Regex {
        self.regex.get_or_init(|| {
            let bounded = format!("(?:^|[^0-9A-Za-z])({})", self.pattern);
            let pattern = if self.is_token { &bounded } else { self.pattern };
            Regex::new(pattern).expect("a test compiles every pattern")
        })
    }

    /// Finds the secrets of this shape in a text, whose copy in lower case is `lower`.
    fn find(&self, text: &str, lower: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        if !self.keywords.iter().any(|keyword| lower.contains(keyword)) {
            return found;
        }
        let mut at = 0;
        while let Some(captures) = self.regex().captures_at(text, at) {
            let Some(first) = captures.get(1) else { break };
            // Not behind the value of a key, which can have another key in it.
            at = first.end();
            let secret = match captures.get(2) {
                None => first.range(),
                Some(_) if is_count(first.as_str()) => continue,
                Some(value) => value_at(text, value.start()),
            };
            if secret.len() >= self.least {
                found.push(secret);
            }
        }
        found
    }
}

/// Replaces the secrets of a text.
pub fn redact(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut found: Vec<_> = SHAPES.iter().flat_map(|shape| shape.find(text, &lower)).collect();
    found.sort_by_key(|secret| (secret.start, secret.end));
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for secret in found {
        // Secrets that overlap or touch are one.
        if secret.start > at || clean.is_empty() {
            clean.push_str(&text[at..secret.start]);
            clean.push_str(REDACTED);
        }
        at = at.max(secret.end);
    }
    clean.push_str(&text[at..]);
    clean
}

/// Tells whether the value of a field with that name is a secret.
pub(in crate::core) fn is_secret_key(name: &str) -> bool {
    static SECRET_KEY: LazyLock<Regex> = LazyLock::new(|| {
        let pattern = concat!(
            "(?i)",
            key_words!(),
            "|(?:api|access|account|private) key|(?:^|[_.-])(?:auth|pass|pin)$"
        );
        Regex::new(pattern).expect("a test compiles it")
    });
    !is_count(name) && SECRET_KEY.is_match(name)
}

/// Tells a number of tokens from a token.
fn is_count(key: &str) -> bool {
    key.trim_start_matches('-').eq_ignore_ascii_case("tokens")
}

/// Finds the end of the value that begins at `start`.
fn value_at(text: &str, start: usize) -> Range<usize> {
    let value = &text[start..];
    if let Some((escapes, quote)) = opening(value) {
        let inside = start + escapes + 1;
        let end = closing(&text[inside..], escapes, quote).unwrap_or(text.len() - inside);
        return inside..inside + end;
    }
    let mut end = word_length(value);
    let schemes = ["bearer", "basic", "token", "digest"];
    if schemes.iter().any(|scheme| value[..end].eq_ignore_ascii_case(scheme)) {
        let gap = value[end..].bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        end += gap + word_length(&value[end + gap..]);
    }
    start..start + end
}

fn word_length(text: &str) -> usize {
    text.find(char::is_whitespace).unwrap_or(text.len())
}

/// Returns the quote at the beginning of a text, and the number of backslashes before it: one in a
/// text that was itself put into quotes, as JSON in JSON is.
fn opening(text: &str) -> Option<(usize, char)> {
    let escapes = text.bytes().take_while(|byte| *byte == b'\\').count();
    let quote = text[escapes..].chars().next()?;
    matches!(quote, '"' | '\'' | '`').then_some((escapes, quote))
}

/// Finds the closing quote. A quote that is escaped more than the opening one does not close.
fn closing(text: &str, depth: usize, quote: char) -> Option<usize> {
    if depth > 0 {
        let before = |at: usize| text[..at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        let mut quotes = text.match_indices(quote).map(|(at, _)| at);
        return quotes.find(|at| before(*at) == depth).map(|at| at - depth);
    }
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            letter if letter == quote => return Some(at),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
