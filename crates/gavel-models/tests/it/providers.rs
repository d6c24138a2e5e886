//! The registry and the probe, over the wire.

use gavel_domain::{Billed, Tokens};
use gavel_models::{
    CallErrorKind, Catalogue, KnownProvider, ModelId, Models, ProbeError, ProviderConfig,
    ReplyForm, Wire, input_ceiling, probe_request,
};
use gavel_testkit::{FakeReply, FakeServer, fake_server};

use crate::ask::{KEY, WIRES, outcome, question};

fn models(wire: Wire, server: &FakeServer) -> Models {
    let name = match wire {
        Wire::Anthropic => "anthropic",
        Wire::OpenAi => "openai",
    };
    let known = KnownProvider::named(name).unwrap();
    let config = ProviderConfig {
        base_url: server.url(wire),
        ..known.config(Some(KEY.into()))
    };
    Models::new(vec![config], &Catalogue::built_in().unwrap()).unwrap()
}

#[tokio::test]
async fn a_configured_model_answers() {
    for wire in WIRES {
        let server = fake_server()
            .key(KEY)
            .reply(FakeReply::text("ready"))
            .start();
        let models = models(wire, &server);
        let listed = models.iter().next().unwrap();
        let reply = outcome(
            &*listed.model,
            probe_request(&listed.info.id, ReplyForm::Text),
        )
        .await
        .unwrap();
        assert_eq!(reply.text, "ready");
        let seen = server.requests().remove(0);
        assert_eq!(seen.body["model"], listed.info.id.model());
        let field = match wire {
            Wire::Anthropic => "max_tokens",
            Wire::OpenAi => "max_completion_tokens",
        };
        assert_eq!(seen.body[field], 512);
        server.finish();
    }
}

#[tokio::test]
async fn a_probe_lists_models_and_buys_nothing() {
    for wire in WIRES {
        let server = fake_server().key(KEY).models(&["one", "two"]).start();
        let models = models(wire, &server);
        let provider = models.providers().next().unwrap();
        let probe = models.probe(provider).await.unwrap();
        assert_eq!(probe.models, ["one", "two"]);
        assert!(probe.with_key);
        assert_eq!(probe.base_url, server.url(wire));
        assert!(server.requests().is_empty());
        server.finish();
    }
}

#[tokio::test]
async fn a_probe_that_fails_says_where_and_why() {
    let server = fake_server().key("another key").start();
    let models = models(Wire::OpenAi, &server);
    let Err(ProbeError::Call { error, .. }) = models.probe("openai").await else {
        panic!("the key is wrong");
    };
    assert_eq!(
        (error.kind, error.billed),
        (CallErrorKind::Unauthorized, Billed::No)
    );
    let missing = models.probe("xai").await;
    assert_eq!(missing, Err(ProbeError::NotConfigured("xai".to_owned())));
}

#[tokio::test]
async fn a_count_of_the_provider_lowers_the_ceiling() {
    let server = fake_server().counted(40).start();
    let models = models(Wire::Anthropic, &server);
    let id: ModelId = "anthropic/claude-haiku-4-5".parse().unwrap();
    let model = models.get(&id).unwrap();
    let request = question("hello");
    let counted = model.count_tokens(&request).await.unwrap();
    assert_eq!(counted, Some(Tokens(40)));
    assert_eq!(
        input_ceiling(&request, &model.info, counted),
        Tokens(40 + 1 + 128)
    );
    assert!(input_ceiling(&request, &model.info, None) > Tokens(400));
}
