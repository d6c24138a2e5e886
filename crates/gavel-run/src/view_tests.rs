use gavel_domain::{
    AttemptFailed, Billed, Blob, Cap, CapChanged, CapScope, CeilingBroken, Digest, Epoch,
    FaultClass, Heard, LossCause, MicroUsd, RecordDraft, Role, Speaker, SpendAllowed, SpendClass,
    Tokens, UsageLost,
};
use proptest::prelude::*;
use uuid::Uuid;

use super::*;

fn drafts() -> Vec<RecordDraft> {
    let key = |text: &str| Key::engine(text).unwrap();
    let fault = Fault {
        class: FaultClass::Network,
        retry_after_ms: None,
        detail: None,
    };
    let failed = AttemptFailed {
        fault,
        billed: Billed::No,
        cost: MicroUsd::ZERO,
    };
    let reserved = UsageReserved {
        model: "m".into(),
        role: Role::Coder,
        class: SpendClass::Metered,
        ceiling: Some(MicroUsd(5)),
        input_max: Tokens(1),
        output_max: Tokens(1),
        request: Blob::new("r").name(),
    };
    let lost = UsageLost {
        cause: LossCause::Failed,
        ceiling: Some(MicroUsd(5)),
    };
    let broken = CeilingBroken {
        model: "m".into(),
        ceiling: MicroUsd(1),
        cost: MicroUsd(2),
        claimed: None,
        booked: None,
    };
    let allowed = SpendAllowed {
        model: "m".into(),
        broken: 1,
        by: Speaker::PERSON,
    };
    let cap = |limit| CapChanged {
        cap: Cap {
            scope: CapScope::RunUsd,
            limit,
        },
        by: Speaker::PERSON,
    };
    let id = |n: u128| InboxId::from_uuid(Uuid::from_u128(n));
    let said = |n| Said {
        id: id(n),
        by: Speaker::PERSON,
        text: Blob::new("t").name(),
    };
    [
        RecordDraft::new(key("a").attempt_part(1, "reserved"), &reserved),
        RecordDraft::new(key("a").attempt_part(1, "lost"), &lost),
        RecordDraft::new(key("a").attempt(1), &failed),
        RecordDraft::new(key("a").attempt_part(2, "reserved"), &reserved),
        RecordDraft::new(key("a").attempt_part(2, "broken"), &broken),
        RecordDraft::new(key("money/allowed").outcome(), &allowed),
        RecordDraft::new(key("inbox/1").outcome(), &cap(10)),
        RecordDraft::new(key("inbox/2").outcome(), &cap(20)),
        RecordDraft::new(key("inbox/3").outcome(), &said(3)),
        RecordDraft::new(key("inbox/4").outcome(), &said(4)),
        RecordDraft::new(key("t").outcome(), &Heard { said: vec![id(3)] }),
        RecordDraft::new(
            key("b").part("tree"),
            &TreeRecorded {
                n: 2,
                tree: "x".into(),
            },
        ),
        RecordDraft::new(
            key("c").part("tree"),
            &TreeRecorded {
                n: 1,
                tree: "y".into(),
            },
        ),
    ]
    .into_iter()
    .map(Result::unwrap)
    .collect()
}

fn records() -> Vec<Record> {
    let run = gavel_domain::RunId::from_uuid(Uuid::from_u128(9));
    drafts()
        .into_iter()
        .zip(1..)
        .map(|(draft, seq)| {
            draft.place(
                run,
                (Seq(seq), Epoch(1)),
                Timestamp::UNIX_EPOCH,
                Digest::ZERO,
            )
        })
        .collect()
}

fn fold(records: &[Record]) -> View {
    let mut view = View::default();
    records
        .iter()
        .for_each(|record| view.apply(record).unwrap());
    view
}

#[test]
fn the_fold_knows_what_matters() {
    let view = fold(&records());
    assert_eq!(
        view.caps().run_usd,
        Some(MicroUsd(20)),
        "the later change counts"
    );
    assert_eq!(view.reservations.len(), 1);
    assert_eq!(view.unheard().len(), 1);
    assert_eq!(view.tree.as_ref().map(|tree| tree.n), Some(2));
    assert_eq!(view.allowed["m"], 1);
    assert_eq!(view.attempts[&Key::engine("a").unwrap()].begun, 2);
}

proptest! {
    #[test]
    fn the_order_of_reading_does_not_matter(shuffled in Just(records()).prop_shuffle()) {
        prop_assert_eq!(fold(&shuffled), fold(&records()));
    }
}
