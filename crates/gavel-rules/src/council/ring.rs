//! Who speaks with whom.
