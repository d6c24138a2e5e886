//! DSSE envelopes: a payload, its type, and a signature over both.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::key::{PublicKey, SealKey};
use super::problem::SealProblem;
use super::statement::{SealStatement, StatementProblem};

const PAYLOAD_TYPE: &str = "application/vnd.in-toto+json";

/// Nothing larger is read: a seal is some kilobytes.
pub const MAX_ENVELOPE_BYTES: usize = 4 * 1024 * 1024;

/// Why nothing was signed.
#[derive(Debug, thiserror::Error)]
pub enum SealError {
    /// The statement contradicts itself: it would not verify.
    #[error("the seal would not verify: {0}")]
    Statement(#[from] StatementProblem),
    /// The statement names another signer.
    #[error("the statement names the signer {named}, the key is {signing}")]
    OtherSigner {
        /// The id of the key in the statement.
        named: String,
        /// The id of the key that was to sign.
        signing: String,
    },
    /// The envelope is larger than a reader takes.
    #[error("the seal has {bytes} bytes, and readers take {MAX_ENVELOPE_BYTES}")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// It cannot be written as JSON.
    #[error("the statement cannot be written as JSON")]
    Json(#[from] serde_json::Error),
}

#[derive(Debug, Serialize, Deserialize)]
struct Envelope {
    #[serde(rename = "payloadType")]
    payload_type: String,
    payload: String,
    signatures: Vec<Signature>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Signature {
    /// Optional by the specification; ours always have one.
    #[serde(default)]
    keyid: String,
    sig: String,
}

/// Signs a statement; the same statement and key give the same bytes.
pub fn sign_seal(statement: &SealStatement, key: &SealKey) -> Result<Vec<u8>, SealError> {
    statement.check()?;
    let named = statement.predicate.signer.public_key;
    if named != key.public() {
        let (named, signing) = (named.id(), key.public().id());
        return Err(SealError::OtherSigner { named, signing });
    }
    let payload = serde_json::to_vec(statement)?;
    let envelope = Envelope {
        payload_type: PAYLOAD_TYPE.to_owned(),
        payload: STANDARD.encode(&payload),
        signatures: vec![Signature {
            keyid: key.public().id(),
            sig: STANDARD.encode(key.sign(&signed_bytes(PAYLOAD_TYPE, &payload))),
        }],
    };
    let mut bytes = serde_json::to_vec_pretty(&envelope)?;
    bytes.push(b'\n');
    if bytes.len() > MAX_ENVELOPE_BYTES {
        return Err(SealError::TooLarge { bytes: bytes.len() });
    }
    Ok(bytes)
}

/// Opens an envelope and checks its signature by the key inside.
///
/// That the signature fits says nothing about who made it: anybody can sign with a key of their
/// own. Whether the returned key is known is the caller's question.
pub fn open_seal(bytes: &[u8]) -> Result<(SealStatement, PublicKey), SealProblem> {
    if bytes.len() > MAX_ENVELOPE_BYTES {
        let limit = MAX_ENVELOPE_BYTES;
        return Err(SealProblem::TooLarge { limit });
    }
    let not_an_envelope = |why: String| SealProblem::NotAnEnvelope { why };
    let envelope: Envelope =
        serde_json::from_slice(bytes).map_err(|error| not_an_envelope(error.to_string()))?;
    if envelope.payload_type != PAYLOAD_TYPE {
        let found = envelope.payload_type.chars().take(80).collect();
        return Err(SealProblem::PayloadType { found });
    }
    let [signature] = envelope.signatures.as_slice() else {
        return Err(SealProblem::Signatures(envelope.signatures.len()));
    };
    let payload = STANDARD
        .decode(&envelope.payload)
        .map_err(|error| not_an_envelope(format!("payload: {error}")))?;
    let signed = STANDARD
        .decode(&signature.sig)
        .map_err(|error| not_an_envelope(format!("signature: {error}")))?;
    let statement: SealStatement =
        serde_json::from_slice(&payload).map_err(|error| SealProblem::NotAStatement {
            why: error.to_string(),
        })?;
    let key = statement.predicate.signer.public_key;
    if !key.has_signed(&signed_bytes(PAYLOAD_TYPE, &payload), &signed) {
        return Err(SealProblem::Signature);
    }
    if signature.keyid != key.id() {
        return Err(SealProblem::KeyId {
            envelope: signature.keyid.chars().take(80).collect(),
            statement: key.id(),
        });
    }
    statement.check()?;
    Ok((statement, key))
}

/// The pre-authentication encoding of DSSE: `DSSEv1 <length> <type> <length> <payload>`.
fn signed_bytes(payload_type: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!(
        "DSSEv1 {} {payload_type} {} ",
        payload_type.len(),
        payload.len()
    );
    [head.as_bytes(), payload].concat()
}

#[cfg(test)]
#[path = "envelope_tests.rs"]
mod tests;
