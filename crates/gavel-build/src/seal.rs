//! The seal: what a run has proven, signed.

use std::fmt;

/// The private key that signs seals.
pub struct SealKey {
    #[expect(dead_code, reason = "read when seals are signed")]
    pkcs8: Vec<u8>,
}

impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealKey(…)")
    }
}
