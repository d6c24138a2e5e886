//! A corpus of streams that servers have sent or could send, and arbitrary bytes: every one ends in a
//! reply with content or in a typed error.
