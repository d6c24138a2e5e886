use gavel_domain::{BlobRef, Digest, Epoch, Fact, Timestamp};
use serde_json::{Value, json};

use super::*;
use crate::id::Kind;

fn id(number: u128) -> ItemId {
    ItemId::new(Kind::Trap, uuid::Uuid::from_u128(number))
}

fn record(kind: &str, body: &Value) -> Record {
    Record {
        v: 1,
        run: RunId::from_uuid(uuid::Uuid::nil()),
        seq: Seq(1),
        epoch: Epoch(1),
        key: "a/b".parse().unwrap(),
        kind: kind.to_owned(),
        input: Digest::ZERO,
        at: Timestamp::UNIX_EPOCH,
        prev: Digest::ZERO,
        body: body.to_string(),
    }
}

#[test]
fn what_was_given_and_cited_is_counted_by_item() {
    let digest = Digest::of("[]");
    let blob = serde_json::to_value(BlobRef { digest, bytes: 2 }).unwrap();
    let recalled = json!({ "items": [id(1), id(2)], "texts": blob });
    let turn = json!({
        "turn": 1, "slot": "critic", "phase": "critique", "iteration": 1, "brief": blob,
        "items": [id(1), "no item"], "artifacts": [], "dropped": 0, "by": "critic-1",
    });
    let artifact = json!({
        "artifact": 2, "type": "critique", "phase": "critique", "iteration": 1, "body": blob,
        "shown": 3, "by": "critic-1", "cites": [id(1), "art_1"],
    });
    let mut uses = Uses::default();
    for (kind, body) in [
        (MemoryRecalled::KIND, &recalled),
        (TurnAssigned::KIND, &turn),
        (ArtifactAdded::KIND, &artifact),
        ("something_else", &recalled),
    ] {
        let record = record(kind, body);
        uses.take(&record);
    }
    assert_eq!(uses.given, BTreeMap::from([(id(1), 2), (id(2), 1)]));
    assert_eq!(uses.cited, BTreeMap::from([(id(1), 1)]));
}
