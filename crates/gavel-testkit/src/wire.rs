//! A byte-true fake server for both wires, on loopback.
//!
//! It runs on a thread and a runtime of its own, so a blocking test, a paused clock or a real
//! `gavel` process can stand on the other side. One server speaks both wires: the path decides.

mod http1;
mod rebuilt;
mod render;
mod reply;
mod seen;
mod serve;
mod server;
mod shared;

pub use rebuilt::{Rebuilt, model_rule};
pub use reply::{FakeReply, Gate};
pub use seen::SeenRequest;
pub use server::{FakeServer, FakeServerSetup, fake_server};
