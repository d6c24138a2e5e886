//! An answer that was cut at its maximum is asked for differently, and not word by word again.

use std::sync::Mutex;

use gavel_agent::{Ask, Asked, Reading, read_answer};
use gavel_domain::{Caps, Role, Tokens};
use gavel_models::{BadReply, CallErrorKind, Request};
use gavel_run::DriveEnd;
use gavel_testkit::{ScriptedModel, TestBed, maybe_billed, test_info};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::bench::texts;

#[derive(Debug, PartialEq, Eq, Deserialize, JsonSchema)]
struct Answer {
    why: String,
    yes: bool,
}

/// What asking came to, and what was sent for it.
async fn asked(model: ScriptedModel) -> (Asked<Answer>, Vec<Request>) {
    let bed = TestBed::new(model.clone()).await;
    let id = bed.start(Caps::default()).await;
    let came = Mutex::new(None);
    let end = bed.drive(id, async |run| {
        let info = test_info(None);
        let ask = Ask {
            model: &info,
            role: Role::Judge,
            shape: "answer",
            system: "Judge.",
            task: "Is it so?",
            max_output: Tokens(400),
        };
        let reading = Reading {
            tries: 2,
            read: &read_answer::<Answer>,
        };
        let scope = run.scope("ask", 1)?;
        let answer = ask.answer_by(&run, &scope, reading).await?;
        *came.lock().unwrap() = Some(answer);
        Ok(())
    });
    let end = end.await.unwrap();
    assert!(matches!(end, DriveEnd::Through(_)), "{end:?}");
    let came = came.into_inner().unwrap().unwrap();
    (came, model.requests())
}

#[tokio::test]
async fn a_cut_answer_is_asked_for_once_more_and_shorter() {
    let cut = || maybe_billed(CallErrorKind::BadReply(BadReply::TooLong));
    let model = ScriptedModel::new()
        .error(cut())
        .text(r#"{"why": "short", "yes": true}"#);
    let (came, requests) = asked(model).await;
    let answer = Answer {
        why: "short".to_owned(),
        yes: true,
    };
    assert_eq!(came, Asked::Answered(answer));
    assert_eq!(requests.len(), 2, "no request is repeated word for word");
    let said = texts(&requests[1]).pop().unwrap();
    assert!(said.contains("at most 200 words"), "{said}");

    let model = ScriptedModel::new().error(cut()).error(cut());
    let (came, requests) = asked(model).await;
    assert!(matches!(came, Asked::Unusable { .. }), "{came:?}");
    assert_eq!(requests.len(), 2);
}
