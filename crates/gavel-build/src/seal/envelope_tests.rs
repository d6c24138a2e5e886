use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::super::sample::statement;
use super::{open_seal, sign_seal, signed_bytes};
use crate::seal::{SealError, SealKey, SealProblem, SealStatement, StatementProblem};

fn key() -> SealKey {
    SealKey::generate().unwrap().1
}

fn sample(key: &SealKey) -> SealStatement {
    let tree = "a".repeat(40).parse().unwrap();
    statement(&tree, &"c".repeat(40), key)
}

fn sealed() -> Value {
    let key = key();
    serde_json::from_slice(&sign_seal(&sample(&key), &key).unwrap()).unwrap()
}

fn opened(envelope: &Value) -> Result<SealStatement, SealProblem> {
    open_seal(&serde_json::to_vec(envelope).unwrap()).map(|(statement, _)| statement)
}

#[test]
fn what_was_signed_is_read_back() {
    let key = key();
    let bytes = sign_seal(&sample(&key), &key).unwrap();
    assert_eq!(bytes, sign_seal(&sample(&key), &key).unwrap());
    let (statement, signer) = open_seal(&bytes).unwrap();
    assert_eq!((statement, signer), (sample(&key), key.public()));
}

#[test]
fn the_payload_is_an_in_toto_statement() {
    let envelope = sealed();
    assert_eq!(envelope["payloadType"], "application/vnd.in-toto+json");
    let payload = STANDARD.decode(envelope["payload"].as_str().unwrap());
    let payload: Value = serde_json::from_slice(&payload.unwrap()).unwrap();
    assert_eq!(payload["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(payload["predicateType"], "urn:gavel:seal:v1");
    assert_eq!(payload["subject"][0]["name"], "gavel/build-1");
    let tree = &payload["subject"][0]["digest"]["gitTree"];
    assert_eq!(tree, &json!("a".repeat(40)));
    assert_eq!(payload["predicate"]["verdict"], "conditional");
    assert_eq!(payload["predicate"]["spend"]["usd"], "0.0042");
    assert_eq!(payload["predicate"]["commands"][0]["level"], "landlock");
}

/// The example of the DSSE specification: any other program that follows it agrees with us.
#[test]
fn the_signed_bytes_are_those_of_the_specification() {
    let bytes = signed_bytes("http://example.com/HelloWorld", b"hello world");
    assert_eq!(
        bytes,
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    );
}

#[test]
fn every_changed_byte_of_the_payload_is_noticed() {
    let envelope = sealed();
    let payload = STANDARD.decode(envelope["payload"].as_str().unwrap());
    let payload = payload.unwrap();
    for place in 0..payload.len() {
        let mut changed = payload.clone();
        changed[place] ^= 1;
        let mut envelope = envelope.clone();
        envelope["payload"] = STANDARD.encode(&changed).into();
        assert!(opened(&envelope).is_err(), "byte {place}");
    }
    let space = [payload.as_slice(), b" "].concat();
    let mut longer = envelope.clone();
    longer["payload"] = STANDARD.encode(space).into();
    assert_eq!(opened(&longer), Err(SealProblem::Signature));
}

#[test]
fn envelopes_of_another_shape_are_told_apart() {
    let change = |change: &dyn Fn(&mut Value)| {
        let mut envelope = sealed();
        change(&mut envelope);
        opened(&envelope).unwrap_err().to_string()
    };
    let other = change(&|e| e["payloadType"] = "text/plain".into());
    assert!(other.contains("text/plain"), "{other}");
    let none = change(&|e| e["signatures"] = json!([]));
    assert!(none.contains("0 signatures"), "{none}");
    let twice = change(&|e| {
        let first = e["signatures"][0].clone();
        e["signatures"] = json!([first, first]);
    });
    assert!(twice.contains("2 signatures"), "{twice}");
    let named = change(&|e| e["signatures"][0]["keyid"] = "0".repeat(16).into());
    assert!(named.contains("names the key 0000000000000000"), "{named}");
    let garbled = change(&|e| e["signatures"][0]["sig"] = "AAAA".into());
    assert!(garbled.contains("does not fit"), "{garbled}");
    let text = change(&|e| e["payload"] = "e30=".into());
    assert!(text.contains("no statement of a seal"), "{text}");
    assert!(open_seal(&vec![b' '; super::MAX_ENVELOPE_BYTES + 1]).is_err());
}

#[test]
fn nothing_is_signed_that_would_not_verify() {
    let key = key();
    let refused = |change: &dyn Fn(&mut SealStatement)| {
        let mut statement = sample(&key);
        change(&mut statement);
        let error = sign_seal(&statement, &key).unwrap_err();
        let SealError::Statement(problem) = error else {
            panic!("{error}");
        };
        problem
    };
    let wrong = refused(&|s| s.predicate.score = 1_001);
    assert_eq!(wrong, StatementProblem::Score(1_001));
    let wrong = refused(&|s| s.predicate.build = "2".to_owned());
    assert!(matches!(wrong, StatementProblem::Build { .. }));
    let wrong = refused(&|s| s.subject.clear());
    assert_eq!(wrong, StatementProblem::Subjects(0));
    let wrong = refused(&|s| s.predicate_type.push('2'));
    assert!(matches!(wrong, StatementProblem::Type { .. }));
    let wrong = refused(&|s| s.subject[0].name.push('2'));
    assert!(matches!(wrong, StatementProblem::Branch { .. }));
    let wrong = refused(&|s| {
        let contract = s.predicate.contracts.values_mut().next().unwrap();
        contract.file = "../outside".to_owned();
    });
    assert!(matches!(wrong, StatementProblem::ContractFile { .. }));
    let stranger = self::key();
    let other = sign_seal(&sample(&stranger), &key).unwrap_err();
    assert!(matches!(other, SealError::OtherSigner { .. }), "{other}");
}

proptest::proptest! {
    #[test]
    fn no_bytes_make_opening_panic(bytes: Vec<u8>) {
        proptest::prop_assert!(open_seal(&bytes).is_err());
    }

    #[test]
    fn no_payload_makes_opening_panic(payload: Vec<u8>, sig: Vec<u8>, keyid in ".{0,20}") {
        let envelope = json!({
            "payloadType": "application/vnd.in-toto+json",
            "payload": STANDARD.encode(payload),
            "signatures": [{ "keyid": keyid, "sig": STANDARD.encode(sig) }],
        });
        proptest::prop_assert!(opened(&envelope).is_err());
    }

    #[test]
    fn no_damaged_seal_opens(place: usize, byte: u8) {
        let mut bytes = serde_json::to_vec(&sealed()).unwrap();
        let place = place % bytes.len();
        let before = bytes[place];
        bytes[place] = byte;
        let same = byte == before;
        proptest::prop_assert!(same || open_seal(&bytes).is_err());
    }
}
