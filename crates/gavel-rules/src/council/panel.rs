//! Which model leads, sits, or helps.
