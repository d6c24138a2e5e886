//! What a citation names.
