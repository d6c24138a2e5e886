use futures_util::StreamExt;
use gavel_models::{Deadlines, Limits, Message, MessageRole, Part, ToolChoice};

use super::*;

fn asked(messages: Vec<Message>) -> Request {
    Request {
        model: "offline".parse().unwrap(),
        messages,
        tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        answer: None,
        limits: Limits {
            max_output: Tokens(100),
            deadlines: Deadlines::default(),
        },
    }
}

fn hello() -> Request {
    asked(vec![Message::text(MessageRole::User, "hello")])
}

async fn outcome(model: &ScriptedModel, request: Request) -> Result<Reply, CallError> {
    match model
        .stream(request)
        .collect::<Vec<_>>()
        .await
        .pop()
        .unwrap()
    {
        Ok(Delta::Finished(reply)) => Ok(reply),
        Ok(other) => panic!("ended with {other:?}"),
        Err(error) => Err(error),
    }
}

fn fails(model: &ScriptedModel) -> String {
    let model = model.clone();
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| model.finish()));
    *panic.expect_err("must fail").downcast::<String>().unwrap()
}

#[tokio::test]
async fn answers_in_order_and_says_what_remains() {
    let model = ScriptedModel::new()
        .text("one")
        .error(unbilled(CallErrorKind::Network))
        .calls(&[("c1", "look", "{}")]);
    assert_eq!(outcome(&model, hello()).await, Ok(text_reply("one")));
    assert_eq!(
        outcome(&model, hello()).await,
        Err(unbilled(CallErrorKind::Network))
    );
    assert_eq!(fails(&model), "1 scripted replies remain");
    assert_eq!(
        outcome(&model, hello()).await,
        Ok(tool_reply(&[("c1", "look", "{}")]))
    );
    model.finish();
    assert_eq!(model.requests(), [hello(), hello(), hello()]);
}

#[tokio::test]
async fn an_unexpected_request_fails_the_test() {
    let model = ScriptedModel::new();
    let error = outcome(&model, hello())
        .await
        .expect_err("nothing scripted");
    assert_eq!(error.kind, CallErrorKind::Refused);
    assert!(fails(&model).contains("no reply is scripted"));

    let model = ScriptedModel::new().text("one");
    model.forbid_requests();
    assert!(outcome(&model, hello()).await.is_err());
    assert!(fails(&model).contains("none was allowed"));
}

#[tokio::test]
async fn a_parked_request_waits_for_the_test() {
    let model = ScriptedModel::parking();
    let (reply, ()) = tokio::join!(outcome(&model, hello()), async {
        let parked = model.next_parked().await;
        assert_eq!(parked.request, hello());
        assert!(!parked.is_abandoned());
        parked.text("done");
    });
    assert_eq!(reply, Ok(text_reply("done")));
    let (reply, ()) = tokio::join!(outcome(&model, hello()), async {
        drop(model.next_parked().await);
    });
    assert_eq!(reply, Err(cut()));
    model.finish();
}

#[tokio::test]
async fn every_request_is_checked() {
    let lonely = Message {
        role: MessageRole::User,
        parts: vec![Part::ToolResult {
            id: "c1".to_owned(),
            ok: true,
            text: "seen".to_owned(),
        }],
        cache_here: false,
    };
    let model = ScriptedModel::by_rule(|_| Ok(text_reply("fine")));
    assert!(outcome(&model, asked(vec![lonely])).await.is_err());
    assert!(fails(&model).contains("belongs to no open call"));

    let model = ScriptedModel::by_rule(|_| Ok(text_reply("fine"))).secret("hunter2");
    let told = asked(vec![Message::text(MessageRole::User, "it is hunter2")]);
    assert!(outcome(&model, told).await.is_err());
    assert!(fails(&model).contains("secret value"));
}
