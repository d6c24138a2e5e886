//! What to do after a debate.
