//! Secrets in text: finds them by their shape and replaces them before anything is recorded.
//!
//! Whatever is recorded is pushed, and cannot be taken back. So this errs on the side of too much:
//! an unquoted value goes on to the next blank, a quoted one to its closing quote.

use std::ops::Range;

/// The replacement of a secret.
pub const REDACTED: &str = "[redacted]";

/// Every shape that is looked for, in words, for the documentation.
pub const SHAPES: [&str; 10] = [
    "private key blocks, from BEGIN to END or to the end of the text",
    "key=value and key: value, where the key has secret, token, password, passwd, passphrase, \
     pwd, api key, access key, account key, private key, credential or authorization in it, \
     however its words are joined, or ends in auth, pass or pin",
    "the same with a quoted value, as in JSON, also escaped, in YAML and shells",
    "--password value and other options with such a key",
    "bearer and basic credentials of 8 characters or more, and shorter ones behind bearer that \
     have more than small letters",
    "cloud keys: AKIA, ASIA, AIza, ya29.",
    "tokens of forges, registries and services, known by their prefix: ghp_, github_pat_, glpat-, \
     npm_, pypi-, hf_, sk-, sk_live_, xoxb-, SG. and their like",
    "JSON web tokens",
    "connection strings and addresses with user and password",
    "webhook addresses",
];

/// Replaces the secrets in a text.
pub fn redact(text: &str) -> String {
    let mut found = Vec::new();
    for find in [private_keys, assignments, credentials, tokens, addresses, webhooks] {
        found.extend(find(text));
    }
    found.sort_by_key(|range: &Range<usize>| (range.start, range.end));
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for secret in found {
        if secret.start >= at {
            clean.push_str(&text[at..secret.start]);
            clean.push_str(REDACTED);
        }
        at = at.max(secret.end);
    }
    clean.push_str(&text[at..]);
    clean
}

fn private_keys(text: &str) -> Vec<Range<usize>> {
    const BEGIN: &str = "-----BEGIN";
    let mut found = Vec::new();
    for (start, _) in text.match_indices(BEGIN) {
        let block = &text[start..];
        let Some(head) = block.find("PRIVATE KEY") else { continue };
        if block[BEGIN.len()..head].contains("-----") {
            continue;
        }
        let end = block.find("-----END").map(|end| {
            let tail = &block[end + "-----END".len()..];
            let dashes = tail.find("-----").map_or(tail.len(), |at| at + "-----".len());
            end + "-----END".len() + dashes
        });
        found.push(start..start + end.unwrap_or(block.len()));
    }
    found
}

const KEY_WORDS: [&str; 20] = [
    "secret",
    "token",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "apikey",
    "api_key",
    "api-key",
    "accesskey",
    "access_key",
    "access-key",
    "accountkey",
    "account_key",
    "account-key",
    "credential",
    "authorization",
    "privatekey",
    "private_key",
    "private-key",
];
/// Keys of two words.
const SPACED_KEYS: [&str; 4] = ["api key", "access key", "account key", "private key"];
/// Keys that mean a secret only as a whole, or behind a separator.
const WHOLE_KEYS: [&str; 3] = ["auth", "pass", "pin"];
/// Keys that mean a count and not a secret.
const INNOCENT_KEYS: [&str; 1] = ["tokens"];

fn is_key_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Tells whether the value of that key is a secret.
pub(in crate::core) fn is_secret_key(key: &str) -> bool {
    let key = key.trim_start_matches('-').to_ascii_lowercase();
    if INNOCENT_KEYS.contains(&key.as_str()) {
        return false;
    }
    let is_last_part = |whole: &&str| {
        key.strip_suffix(*whole)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with(['_', '-', '.']))
    };
    KEY_WORDS.iter().chain(&SPACED_KEYS).any(|word| key.contains(word))
        || WHOLE_KEYS.iter().any(is_last_part)
}

/// Finds the words of a text that could be keys.
fn keys(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| is_key_letter(**byte)).count();
        if length > 0 {
            found.push(at..at + length);
        }
        at += length.max(1);
    }
    found
}

fn assignments(text: &str) -> Vec<Range<usize>> {
    let words = keys(text);
    let is_secret = |key: &Range<usize>| is_secret_key(&text[key.clone()]);
    let is_spaced = |pair: &Range<usize>| {
        SPACED_KEYS.iter().any(|key| key.eq_ignore_ascii_case(&text[pair.clone()]))
    };
    let pairs = words.windows(2).map(|pair| pair[0].start..pair[1].end).filter(is_spaced);
    let keys = words.iter().filter(|key| is_secret(key)).cloned().chain(pairs);
    keys.filter_map(|key| value_of(text, &key)).collect()
}

/// Finds the value of a key: after `=`, `:`, `=>` or `:=`, or after the blank behind an option.
fn value_of(text: &str, key: &Range<usize>) -> Option<Range<usize>> {
    let is_option = text[key.clone()].starts_with("--");
    let mut at = key.end + opening(&text[key.end..]).map_or(0, |(escapes, _)| escapes + 1);
    let blank = blanks(&text[at..]);
    let sign = text[at + blank..].bytes().take_while(|byte| b"=:>".contains(byte)).count();
    if sign == 0 && !(is_option && blank > 0) {
        return None;
    }
    at += blank + sign;
    at += blanks(&text[at..]);
    let value = &text[at..];
    if value.is_empty() {
        return None;
    }
    if let Some((escapes, quote)) = opening(value) {
        let inside = at + escapes + 1;
        let end = closing(&text[inside..], escapes, quote).unwrap_or(text.len() - inside);
        return Some(inside..inside + end);
    }
    let mut end = word_length(value);
    let scheme = &value[..end];
    let has_more =
        ["bearer", "basic", "token", "digest"].iter().any(|word| scheme.eq_ignore_ascii_case(word));
    if has_more {
        let gap = blanks(&value[end..]);
        end += gap + word_length(&value[end + gap..]);
    }
    Some(at..at + end)
}

fn blanks(text: &str) -> usize {
    text.bytes().take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

fn word_length(text: &str) -> usize {
    text.find(char::is_whitespace).unwrap_or(text.len())
}

/// Returns the quote that a text begins with, and the number of backslashes before it: one in a
/// text that was itself quoted, as JSON in JSON is.
fn opening(text: &str) -> Option<(usize, char)> {
    let escapes = text.bytes().take_while(|byte| *byte == b'\\').count();
    let quote = text[escapes..].chars().next()?;
    matches!(quote, '"' | '\'' | '`').then_some((escapes, quote))
}

/// Finds the closing quote. A quote that is escaped more than the opening one does not close it.
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

/// Finds credentials such as `Bearer abc` and `Basic dXNlcjpwYXNz` anywhere in a text.
fn credentials(text: &str) -> Vec<Range<usize>> {
    const SECRET_MIN: usize = 8;
    let mut found = Vec::new();
    for key in keys(text) {
        let word = &text[key.clone()];
        let (is_bearer, is_basic) =
            (word.eq_ignore_ascii_case("bearer"), word.eq_ignore_ascii_case("basic"));
        let gap = blanks(&text[key.end..]);
        if !(is_bearer || is_basic) || gap == 0 {
            continue;
        }
        let start = key.end + gap;
        let value = &text[start..start + word_length(&text[start..])];
        // 'basic understanding' and 'the bearer of it' are prose; credentials are hardly ever all
        // small letters.
        let word = value.trim_end_matches(['.', ',', ';', ':', '!', '?', ')']);
        let is_prose = word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase());
        let is_long = value.len() >= SECRET_MIN;
        let is_secret = if is_basic { is_long && !is_prose } else { is_long || !is_prose };
        if is_secret {
            found.push(start..start + value.len());
        }
    }
    found
}

/// Prefixes of tokens, and the number of characters that follow at least.
const TOKENS: [(&str, usize); 32] = [
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("ya29.", 20),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("npm_", 30),
    ("pypi-", 30),
    ("hf_", 20),
    ("dop_v1_", 30),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("rk_test_", 16),
    ("pk_live_", 16),
    ("whsec_", 16),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xapp-", 10),
    ("SG.", 20),
    ("sk-proj-", 16),
    ("sk-ant-", 16),
    ("sk-", 16),
    ("eyJ", 20),
];

/// Hardly any word has as many letters.
const WORD_LETTERS_MAX: usize = 20;

fn tokens(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for (prefix, least) in TOKENS {
        for (start, _) in text.match_indices(prefix) {
            let before = text[..start].chars().next_back();
            if before.is_some_and(|letter| letter.is_ascii_alphanumeric()) {
                continue;
            }
            let behind = &text.as_bytes()[start + prefix.len()..];
            let length = behind.iter().take_while(|byte| is_key_letter(**byte)).count();
            let behind = &behind[..length];
            let is_one = match prefix {
                // Web tokens have three parts.
                "eyJ" => behind.contains(&b'.'),
                // Words with hyphens between them are not a key.
                "sk-" => {
                    let mut parts = behind.split(|byte| *byte == b'-');
                    behind.iter().any(u8::is_ascii_digit)
                        || parts.any(|part| part.len() >= WORD_LETTERS_MAX)
                }
                _ => true,
            };
            if length >= least && is_one {
                found.push(start..start + prefix.len() + length);
            }
        }
    }
    found
}

/// Finds user and password in front of a host.
fn addresses(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    // A pattern has one of the two slashes.
    for (at, sign) in text.match_indices(":/") {
        let start = at + sign.len() + usize::from(text[at + sign.len()..].starts_with('/'));
        let word = &text[start..start + word_length(&text[start..])];
        let word = &word[..word.find(['"', '\'', '`', '<', '>']).unwrap_or(word.len())];
        let authority = &word[..word.find(['/', '?', '#']).unwrap_or(word.len())];
        let scheme_is_web = text[..at].ends_with("http") || text[..at].ends_with("https");
        let has_password = authority.split_once(':').is_some_and(|(_, after)| {
            // A port is digits and nothing else.
            after.is_empty() || !after.bytes().all(|byte| byte.is_ascii_digit())
        });
        let end = match (has_password, authority.rfind('@')) {
            // A password may have a slash or another @ in it.
            (true, _) => word.rfind('@'),
            (false, Some(end)) if scheme_is_web => Some(end),
            (false, _) => None,
        };
        found.extend(end.map(|end| start..start + end));
    }
    found
}

const WEBHOOKS: [&str; 4] = [
    "hooks.slack.com/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "webhook.office.com/",
];

fn webhooks(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for host in WEBHOOKS {
        for (at, _) in text.match_indices(host) {
            let start = at + host.len();
            let end = start + word_length(&text[start..]);
            found.extend((end > start).then_some(start..end));
        }
    }
    found
}

#[cfg(test)]
#[path = "redact_tests.rs"]
mod tests;
