//! Building phase by phase: scout, plan, code, verify, audit, fix, commit; and the seal.

mod seal;
mod workshop;

pub use seal::SealKey;
pub use workshop::Workshop;
