//! The meaning of canonical text, written down a second time as plainly as possible.
//!
//! Shares no code with the module: it reads the text itself.

pub(super) enum Token {
    Set(Vec<u8>),
    Run,
}

/// A segment, read.
pub(super) struct Segment {
    pub(super) tokens: Vec<Token>,
    pub(super) spelled: Vec<u8>,
    pub(super) is_any_depth: bool,
    only_classes: bool,
}

pub(super) fn segments(text: &[u8]) -> Vec<Segment> {
    text.split(|&b| b == b'/').map(segment).collect()
}

fn segment(text: &[u8]) -> Segment {
    let mut tokens = Vec::new();
    let mut others = 0;
    let mut at = 0;
    while at < text.len() {
        match text[at] {
            b'*' => {
                others += 1;
                tokens.push(Token::Run);
            }
            b'?' => {
                others += 1;
                tokens.push(Token::Set((1..=255).filter(|&b| b != b'/').collect()));
            }
            b'[' => {
                let (set, end) = class(text, at + 1);
                tokens.push(Token::Set(set));
                at = end;
            }
            b'\\' => {
                at += 1;
                tokens.push(Token::Set(vec![text[at]]));
            }
            byte => tokens.push(Token::Set(vec![byte])),
        }
        at += 1;
    }
    let is_any_depth = text == b"**";
    let mut spelled = text.to_vec();
    let mut at = 0;
    while at < spelled.len() {
        if spelled[at] == b'\\' {
            spelled.remove(at);
        }
        at += 1;
    }
    Segment { tokens, spelled, is_any_depth, only_classes: others == 0 }
}

fn class(text: &[u8], mut at: usize) -> (Vec<u8>, usize) {
    let negated = matches!(text[at], b'^' | b'!');
    at += usize::from(negated);
    let first = at;
    let mut members = Vec::new();
    while text[at] != b']' || at == first {
        at += usize::from(text[at] == b'\\');
        let start = text[at];
        let mut end = start;
        if text[at + 1] == b'-' && text[at + 2] != b']' {
            at += 2;
            at += usize::from(text[at] == b'\\');
            end = text[at];
        }
        members.extend(start..=end);
        at += 1;
    }
    let all = (1..=255).filter(|&b| b != b'/');
    (all.filter(|b| members.contains(b) != negated).collect(), at)
}

impl Segment {
    fn accepts(&self, name: &[u8]) -> bool {
        tokens_accept(&self.tokens, name) || name == self.spelled
    }
}

/// Whether the path spelled like the pattern covers what is below it.
pub(super) fn covers_below(segments: &[Segment]) -> bool {
    segments.iter().all(|segment| segment.only_classes)
}

fn tokens_accept(tokens: &[Token], name: &[u8]) -> bool {
    match (tokens, name) {
        ([], _) => name.is_empty(),
        ([Token::Run, rest @ ..], _) => (0..=name.len()).any(|n| tokens_accept(rest, &name[n..])),
        ([Token::Set(set), rest @ ..], [byte, name @ ..]) => {
            set.contains(byte) && tokens_accept(rest, name)
        }
        ([Token::Set(_), ..], []) => false,
    }
}

fn segments_accept(segments: &[Segment], names: &[&[u8]]) -> bool {
    match segments {
        [] => names.is_empty(),
        [first, rest @ ..] if first.is_any_depth => {
            (0..=names.len()).any(|n| segments_accept(rest, &names[n..]))
        }
        [first, rest @ ..] => names
            .split_first()
            .is_some_and(|(n, names)| first.accepts(n) && segments_accept(rest, names)),
    }
}

pub(super) fn matches(segments: &[Segment], path: &[u8]) -> bool {
    let names: Vec<&[u8]> = path.split(|&b| b == b'/').collect();
    let spelled: Vec<&[u8]> = segments.iter().map(|s| s.spelled.as_slice()).collect();
    segments_accept(segments, &names) || (covers_below(segments) && names.starts_with(&spelled))
}
