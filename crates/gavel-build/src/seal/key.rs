//! The key pair that signs seals: Ed25519.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gavel_domain::Digest;
use ring::rand::SystemRandom;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

const SCHEME: &str = "ed25519:";
const PUBLIC_BYTES: usize = 32;
const ID_DIGITS: usize = 16;

/// Why there is no key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealKeyError {
    /// The system gave no random bytes: nothing can be signed here.
    #[error("the system gives no random bytes to make a seal key from")]
    NoRandom,
    /// The bytes are no key: put the right file back.
    #[error("the bytes are no Ed25519 private key in PKCS#8 form: {why}")]
    NotAKey {
        /// What is wrong with them.
        why: String,
    },
}

/// The private key that signs seals.
pub struct SealKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

impl SealKey {
    /// Makes a new key; the bytes (PKCS#8) are what a file keeps, and are a secret.
    pub fn generate() -> Result<(Vec<u8>, Self), SealKeyError> {
        let made = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new());
        let bytes = made
            .map_err(|_unspecified| SealKeyError::NoRandom)?
            .as_ref()
            .to_vec();
        let key = Self::from_pkcs8(&bytes)?;
        Ok((bytes, key))
    }

    /// Reads a key that was made before.
    pub fn from_pkcs8(bytes: &[u8]) -> Result<Self, SealKeyError> {
        let not_a_key = |why: String| SealKeyError::NotAKey { why };
        let pair =
            Ed25519KeyPair::from_pkcs8(bytes).map_err(|error| not_a_key(error.to_string()))?;
        let public = <[u8; PUBLIC_BYTES]>::try_from(pair.public_key().as_ref())
            .map_err(|error| not_a_key(error.to_string()))?;
        Ok(Self {
            pair,
            public: PublicKey(public),
        })
    }

    /// The half that everybody may know.
    pub const fn public(&self) -> PublicKey {
        self.public
    }

    pub(super) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.pair.sign(message).as_ref().to_vec()
    }
}

/// Shows which key it is, never the key.
impl fmt::Debug for SealKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SealKey({})", self.public.id())
    }
}

/// A text that is no public key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{shown}` is not a public seal key (ed25519: and 44 letters of base64)")]
pub struct PublicKeyError {
    shown: String,
}

/// The public half of a seal key; its text form is `ed25519:<base64>`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey([u8; PUBLIC_BYTES]);

impl PublicKey {
    /// The short name of the key: the first 16 hex digits of the BLAKE3 digest of its 32 bytes.
    pub fn id(&self) -> String {
        let digest = Digest::of(self.0).to_string();
        digest.chars().take(ID_DIGITS).collect()
    }

    /// True when the private half of this key signed exactly these bytes.
    pub(super) fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        let key = UnparsedPublicKey::new(&ED25519, &self.0);
        key.verify(message, signature).is_ok()
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}", STANDARD.encode(self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for PublicKey {
    type Err = PublicKeyError;

    fn from_str(text: &str) -> Result<Self, PublicKeyError> {
        let read = || {
            let bytes = STANDARD.decode(text.trim().strip_prefix(SCHEME)?).ok()?;
            <[u8; PUBLIC_BYTES]>::try_from(bytes).ok()
        };
        read().map(Self).ok_or_else(|| PublicKeyError {
            shown: text.chars().take(80).collect(),
        })
    }
}

impl Serialize for PublicKey {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for PublicKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::{PublicKey, SealKey};

    #[test]
    fn a_key_survives_its_file_and_signs_the_same() {
        let (bytes, key) = SealKey::generate().unwrap();
        let again = SealKey::from_pkcs8(&bytes).unwrap();
        assert_eq!(key.public(), again.public());
        assert_eq!(key.sign(b"text"), again.sign(b"text"));
        assert!(key.public().has_signed(b"text", &again.sign(b"text")));
        assert!(!key.public().has_signed(b"Text", &again.sign(b"text")));
        assert!(SealKey::from_pkcs8(&bytes[1..]).is_err());
        assert!(!format!("{key:?}").contains("ed25519:"));
    }

    #[test]
    fn a_public_key_reads_its_own_text_and_no_other() {
        let (_, key) = SealKey::generate().unwrap();
        let text = key.public().to_string();
        assert_eq!(text.parse::<PublicKey>().unwrap(), key.public());
        assert_eq!(text.len(), "ed25519:".len() + 44);
        assert_eq!(key.public().id().len(), 16);
        let bare = text.trim_start_matches("ed25519:");
        let unpadded = text.trim_end_matches('=');
        for wrong in ["", "ed25519:", bare, unpadded, &format!("{text}A")] {
            assert!(wrong.parse::<PublicKey>().is_err(), "{wrong}");
        }
    }
}
