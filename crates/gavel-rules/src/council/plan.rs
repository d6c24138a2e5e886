//! A plan of a debate: what makes it usable, what stands in for it, who is added.

/// Whether somebody speaks for what went wrong in this project before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Experience {
    /// Nobody does.
    Off,
    /// Somebody does, beside the others.
    #[default]
    Advisory,
    /// Somebody does, in the place of the last generic stance.
    Enforcing,
}
