//! How many rounds, and when to stop.
