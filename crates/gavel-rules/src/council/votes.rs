//! Votes over decisions, and whether a debate is needed at all.
