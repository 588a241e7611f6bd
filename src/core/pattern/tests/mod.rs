//! The meaning of patterns, shown three times: by examples, by definitions that are too slow to
//! use, and by laws that hold for every pattern.

mod brute_force;
mod examples;
mod generate;
mod laws;
mod naive;
mod refused;
mod regular;

use super::{Case, Matcher, Pattern};

/// A matcher for canonical text.
fn matcher(text: impl AsRef<[u8]>) -> Matcher {
    Pattern::canonical(text.as_ref()).unwrap().matcher(Case::Sensitive)
}

fn overlap(left: &str, right: &str) -> bool {
    let (left, right) = (matcher(left), matcher(right));
    assert_eq!(left.overlaps(&right), right.overlaps(&left));
    left.overlaps(&right)
}

fn cover(outer: &str, inner: &str) -> bool {
    matcher(outer).covers(&matcher(inner))
}
