//! What a judge says of a synthesis.

/// What a judge said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// How sure it is that the synthesis is complete, in hundredths; nothing when nobody judged.
    pub confidence: Option<u32>,
    /// True when a person should look.
    pub needs_person: bool,
    /// Why.
    pub reason: String,
}
