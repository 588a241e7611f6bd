//! Deltas: an object encoded as copies of parts of another object and new bytes, in git's format.

/// The minimum length of a match. A copy of so few bytes is worth it: most of what differs between
/// two entries is a few hex digits in the middle of a text.
const MATCH_MIN: usize = 5;
/// The number of bytes that a match must save beyond the length of its instruction: the insert that
/// it splits needs one more instruction.
const GAIN_MIN: usize = 1;
/// The maximum number of positions of a base that are indexed. Of a longer base, every second,
/// third and so on is.
const POSITIONS_MAX: usize = 8192;
/// The maximum number of positions that are compared to find the longest match.
const COMPARED_MAX: usize = 16;
/// The maximum length of one copy instruction, and of one insert instruction.
const COPY_MAX: usize = 0xffff;
const INSERT_MAX: usize = 0x7f;

/// Encodes the instructions that turn `base` into `target`.
pub(super) fn encode(base: &[u8], target: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    push_length(&mut out, base.len());
    push_length(&mut out, target.len());
    let start = common_length(base.iter(), target.iter());
    let rest = (&base[start..], &target[start..]);
    let end = common_length(rest.0.iter().rev(), rest.1.iter().rev());
    copy(&mut out, 0, start);
    let middle = &rest.1[..rest.1.len() - end];
    encode_middle(&mut out, base, middle);
    copy(&mut out, base.len() - end, end);
    out
}

fn common_length<'a>(
    left: impl Iterator<Item = &'a u8>,
    right: impl Iterator<Item = &'a u8>,
) -> usize {
    left.zip(right).take_while(|(left, right)| left == right).count()
}

/// Finds matches of `base` anywhere in `target`.
fn encode_middle(out: &mut Vec<u8>, base: &[u8], target: &[u8]) {
    if target.len() < MATCH_MIN || base.len() < MATCH_MIN {
        insert(out, target);
        return;
    }
    let places = Places::of(base);
    let (mut at, mut pending) = (0, 0);
    while at + MATCH_MIN <= target.len() {
        let Some((place, length)) = places.longest_match(base, &target[at..]) else {
            at += 1;
            continue;
        };
        let before = &target[pending..at];
        let back = common_length(before.iter().rev(), base[..place].iter().rev());
        insert(out, &before[..before.len() - back]);
        copy(out, place - back, back + length);
        at += length;
        pending = at;
    }
    insert(out, &target[pending..]);
}

/// The positions of a base, by a hash of the bytes that begin there.
struct Places {
    /// The last position of each hash, plus one; zero if there is none.
    last: Vec<u32>,
    /// For each indexed position, the one before it that has the same hash, plus one.
    previous: Vec<u32>,
    /// The distance between two indexed positions.
    step: usize,
}

impl Places {
    fn of(base: &[u8]) -> Places {
        let step = 1 + base.len() / POSITIONS_MAX;
        let count = (base.len() + 1 - MATCH_MIN).div_ceil(step);
        let mut places = Places {
            last: vec![0; count.next_power_of_two()],
            previous: Vec::with_capacity(count),
            step,
        };
        for (number, block) in (1_u32..).zip(base.windows(MATCH_MIN).step_by(step)) {
            let slot = places.slot(block);
            places.previous.push(places.last[slot]);
            places.last[slot] = number;
        }
        places
    }

    /// Finds a long match with the beginning of `target`, and its length, if copying it is shorter
    /// than inserting it.
    fn longest_match(&self, base: &[u8], target: &[u8]) -> Option<(usize, usize)> {
        let mut longest: Option<(usize, usize)> = None;
        let mut number = self.last[self.slot(&target[..MATCH_MIN])];
        for _ in 0..COMPARED_MAX {
            let Some(index) = number.checked_sub(1) else { break };
            let index = index as usize;
            let place = index * self.step;
            let length = common_length(base[place..].iter(), target.iter());
            if longest.is_none_or(|(_, longest)| length > longest) {
                longest = Some((place, length));
            }
            number = self.previous[index];
        }
        longest.filter(|(place, length)| *length > copy_length(*place, *length) + GAIN_MIN)
    }

    fn slot(&self, block: &[u8]) -> usize {
        let number = block[..MATCH_MIN].iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
        let mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        usize::try_from(mixed).unwrap_or_default() & (self.last.len() - 1)
    }
}

/// Returns the length of an instruction that copies at most `COPY_MAX` bytes.
fn copy_length(offset: usize, length: usize) -> usize {
    let numbers = [offset, length.min(COPY_MAX)];
    let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
    1 + bytes.filter(|byte| *byte != 0).count()
}

/// Writes a length: seven bits a byte, lowest first.
fn push_length(out: &mut Vec<u8>, length: usize) {
    let mut rest = length;
    while rest >= 0x80 {
        out.push(super::low_bits(rest, 7) | 0x80);
        rest >>= 7;
    }
    out.push(super::low_bits(rest, 7));
}

fn insert(out: &mut Vec<u8>, bytes: &[u8]) {
    for chunk in bytes.chunks(INSERT_MAX) {
        out.push(super::low_bits(chunk.len(), 7));
        out.extend_from_slice(chunk);
    }
}

/// Writes copy instructions. Zero bytes of the offset and of the length are left out, and bits of
/// the first byte tell which ones are present.
fn copy(out: &mut Vec<u8>, offset: usize, length: usize) {
    let (mut offset, mut left) = (offset, length);
    while left > 0 {
        let length = left.min(COPY_MAX);
        let first = out.len();
        out.push(0x80);
        let numbers = [(offset, 0..4), (length, 4..6)];
        for (number, bits) in numbers {
            for (place, bit) in bits.enumerate() {
                let byte = number.to_le_bytes()[place];
                if byte != 0 {
                    out[first] |= 1 << bit;
                    out.push(byte);
                }
            }
        }
        offset += length;
        left -= length;
    }
}

/// Applies the instructions to `base`; `None` if they are damaged or belong to another base.
pub(super) fn apply(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = delta.iter().copied();
    if length(&mut bytes)? != base.len() {
        return None;
    }
    let expected = length(&mut bytes)?;
    let mut out = Vec::new();
    while let Some(first) = bytes.next() {
        if out.len() > expected {
            return None;
        }
        if first & 0x80 == 0 {
            let before = out.len();
            out.extend(bytes.by_ref().take(usize::from(first)));
            if first == 0 || out.len() - before < usize::from(first) {
                return None;
            }
            continue;
        }
        let mut number = |bits: std::ops::Range<u32>| {
            bits.enumerate().try_fold(0_usize, |sum, (place, bit)| {
                let byte = if first >> bit & 1 == 1 { bytes.next()? } else { 0 };
                Some(sum | usize::from(byte) << (8 * place))
            })
        };
        let (offset, length) = (number(0..4)?, number(4..7)?);
        let length = if length == 0 { 0x1_0000 } else { length };
        out.extend_from_slice(base.get(offset..offset.checked_add(length)?)?);
    }
    (out.len() == expected).then_some(out)
}

/// Reads the length of what a delta makes; `None` if it is damaged.
pub(super) fn target_length(delta: &[u8]) -> Option<usize> {
    let mut bytes = delta.iter().copied();
    length(&mut bytes)?;
    length(&mut bytes)
}

fn length(bytes: &mut impl Iterator<Item = u8>) -> Option<usize> {
    let mut length = 0_usize;
    for place in 0..9 {
        let byte = bytes.next()?;
        length |= usize::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some(length);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// Repeats pieces in the given order.
    fn pieced(order: &[u8]) -> Vec<u8> {
        let piece = |number: &u8| format!("piece number {number} of a longer text, ").into_bytes();
        order.iter().flat_map(piece).collect()
    }

    proptest! {
        #[test]
        fn what_was_told_is_made_again(base in vec(0..9_u8, 0..90), target in vec(0..9_u8, 0..90)) {
            let (base, target) = (pieced(&base), pieced(&target));
            prop_assert_eq!(apply(&base, &encode(&base, &target)), Some(target));
        }

        #[test]
        fn any_bytes_will_do(base in vec(any::<u8>(), 0..99), target in vec(any::<u8>(), 0..300)) {
            prop_assert_eq!(apply(&base, &encode(&base, &target)), Some(target));
        }

        #[test]
        fn damage_never_panics(base in vec(any::<u8>(), 0..40), delta in vec(any::<u8>(), 0..40)) {
            apply(&base, &delta);
        }
    }

    /// Two entries' commits differ in some digits here and there.
    #[test]
    fn short_matches_are_told_if_that_is_shorter() {
        let base = b"clock 2026-01-05T12:46:37Z, op 270e, seq 19550, fence 1767617197001";
        let target = b"clock 2026-01-05T12:46:38Z, op 270f, seq 19551, fence 1767617198001";
        let delta = encode(base, target);
        assert_eq!(apply(base, &delta).as_deref(), Some(&target[..]));
        assert!(delta.len() < 30, "{}", delta.len());
        let delta = encode(b"what may be 100644 anything", b"random 100644 bytes");
        assert!(delta.len() <= 2 + 1 + 19, "a copy never makes it longer: {}", delta.len());
    }

    #[test]
    fn little_is_told_of_a_large_object_in_which_little_differs() {
        let base: Vec<u8> = (0..200_000_u32).flat_map(u32::to_le_bytes).collect();
        let mut target = base.clone();
        target[300_000] ^= 1;
        target.splice(500_000..500_000, *b"something new");
        let delta = encode(&base, &target);
        assert!(delta.len() < 400, "{}", delta.len());
        assert_eq!(apply(&base, &delta), Some(target));
    }
}
