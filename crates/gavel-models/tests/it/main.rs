//! Both clients against servers: the byte-true fake, programs that others wrote, a real model.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what tests share fails loudly, as the tests do"
)]

mod answers;
mod ask;
mod corpus;
mod deadlines;
mod faults;
mod peers;
mod providers;
mod real_model;
mod replies;
mod requests;
