//! The council: blind drafts, a round, a synthesis; or a review by rules.
