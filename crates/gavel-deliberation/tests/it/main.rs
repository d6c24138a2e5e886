//! Councils and reviews: scripted models, a real store.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot be set up must stop"
)]

mod chamber;
mod citing;
mod clarify;
mod clarify_crash;
mod debates;
mod hall;
mod history;
mod ideation;
mod loop_offline;
mod loop_table;
mod loop_turns;
mod loop_waits;
mod promote;
mod research;
mod resume;
mod reviews;
mod second_edition;
mod story;
