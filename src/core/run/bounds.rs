//! The bounds of the numbers that requests about runs give.

use crate::core::bounded::bounded;
use crate::core::limits::TOKENS_MAX;

bounded! {
    /// The estimated difficulty of a run.
    Complexity: u8, 1, 5
}

impl Complexity {
    /// The difficulty of a run of which nobody says more.
    pub const USUAL: Complexity = Complexity(3);
}

bounded! {
    /// The share of a budget that triggers the warning.
    Percent: u8, 1, 99
}

bounded! {
    /// The number of tokens that a run may spend.
    TokenBudget: u64, 1, TOKENS_MAX
}

bounded! {
    /// A number of tokens that were spent.
    TokenCount: u64, 0, TOKENS_MAX
}

bounded! {
    /// The weight of a gate.
    Priority: u8, 0, 4
}

impl Priority {
    /// The weight at which a gate stops the run.
    pub const USUAL: Priority = Priority(1);
}

bounded! {
    /// The number of agents that may work in a run at once.
    AgentsMax: u32, 1, u32::MAX
}
