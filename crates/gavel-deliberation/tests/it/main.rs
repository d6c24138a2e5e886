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
mod history;
mod research;
mod resume;
mod reviews;
mod story;
