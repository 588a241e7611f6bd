//! `{a,b}`: one text that stands for several patterns.
//!
//! As in shells, braces are read before anything else, so they may hold separators, wildcards and
//! further braces; a group without a comma is literal text (`{a}`, `{}`), and a brace in a class is
//! written `[\{]`. Unlike in shells, a brace without a partner is refused: it is more likely a slip
//! than a name.

use super::bounds::ALTERNATIVES_MAX;
use super::error::Fault;

/// Expands the braces of `text`: returns the texts that it stands for, in the order in which they
/// are written, without repetition.
pub(super) fn expand(text: &[u8]) -> Result<Vec<Vec<u8>>, Fault> {
    let mut done: Vec<Vec<u8>> = Vec::new();
    let mut pending = vec![text.to_vec()];
    let mut alternatives = 1;
    while let Some(next) = pending.pop() {
        let Some(group) = first_group(&next)? else {
            if !done.contains(&next) {
                done.push(next);
            }
            continue;
        };
        alternatives += group.commas.len();
        if alternatives > ALTERNATIVES_MAX {
            return Err(Fault::TooManyAlternatives);
        }
        // The last alternative is pushed first, so that the first one is popped first.
        pending.extend(group.alternatives(&next).rev());
    }
    // `{,x}` would hold everything, and an empty pattern alone is refused too.
    let is_slip = !text.is_empty() && done.iter().any(Vec::is_empty);
    if is_slip { Err(Fault::Empty) } else { Ok(done) }
}

/// A pair of braces, and the commas that belong to it and to no pair inside it.
struct Group {
    open: usize,
    close: usize,
    commas: Vec<usize>,
}

impl Group {
    /// Replaces this group in `text` by each of its alternatives.
    fn alternatives<'t>(&'t self, text: &'t [u8]) -> impl DoubleEndedIterator<Item = Vec<u8>> + 't {
        (0..=self.commas.len()).map(move |index| {
            let start = if index == 0 { self.open } else { self.commas[index - 1] };
            let end = *self.commas.get(index).unwrap_or(&self.close);
            [&text[..self.open], &text[start + 1..end], &text[self.close + 1..]].concat()
        })
    }
}

/// Finds the outermost group with a comma that opens first.
fn first_group(text: &[u8]) -> Result<Option<Group>, Fault> {
    let mut open_groups: Vec<Group> = Vec::new();
    let mut first: Option<Group> = None;
    let mut position = 0;
    while let Some(&byte) = text.get(position) {
        match byte {
            b'\\' => position += 1,
            b'{' => open_groups.push(Group { open: position, close: position, commas: Vec::new() }),
            b',' => {
                if let Some(innermost) = open_groups.last_mut() {
                    innermost.commas.push(position);
                }
            }
            b'}' => {
                let mut group = open_groups.pop().ok_or(Fault::UnbalancedBrace)?;
                group.close = position;
                let is_first = first.as_ref().is_none_or(|found| group.open < found.open);
                if !group.commas.is_empty() && is_first {
                    first = Some(group);
                }
            }
            _ => {}
        }
        position += 1;
    }
    if open_groups.is_empty() { Ok(first) } else { Err(Fault::UnbalancedBrace) }
}
