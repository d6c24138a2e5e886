use super::*;
use crate::KnownProvider;

const KEY: &str = "sk-very-secret-0123";

fn id(text: &str) -> ModelId {
    text.parse().unwrap()
}

fn config(name: &str) -> ProviderConfig {
    let known = KnownProvider::named(name).unwrap();
    known.config(Some(SecretString::from(KEY)))
}

fn models(names: &[&str]) -> Models {
    let configs = names.iter().map(|name| config(name)).collect();
    Models::new(configs, &Catalogue::built_in().unwrap()).unwrap()
}

#[test]
fn a_key_makes_the_listed_models_of_its_provider_available() {
    let models = models(&["anthropic", "ollama"]);
    assert!(models.get(&id("anthropic/claude-haiku-4-5")).is_some());
    assert!(
        models
            .iter()
            .all(|model| model.info.id.provider() == "anthropic")
    );
    assert_eq!(
        models.providers().collect::<Vec<_>>(),
        ["anthropic", "ollama"]
    );
}

#[test]
fn an_unlisted_model_has_no_price_unless_its_server_is_free() {
    let mut models = models(&["openrouter", "ollama"]);
    let dear = models.ensure(&id("openrouter/some/model")).unwrap();
    assert_eq!(dear.info.price, None);
    let free = models.ensure(&id("ollama/qwen3:4b")).unwrap();
    assert_eq!(free.info.price, Some(Price::FREE));
    assert_eq!(
        models.ensure(&id("openai/gpt-4o")).unwrap_err().to_string(),
        "no provider openai is configured for openai/gpt-4o"
    );
}

#[test]
fn no_key_is_ever_shown() {
    let shown = format!(
        "{:?} {:?}",
        models(&["anthropic", "openai"]),
        config("openai")
    );
    assert!(!shown.contains(KEY), "{shown}");
    assert!(shown.contains("***"));
}

#[test]
fn an_endpoint_that_cannot_work_is_named_with_its_provider() {
    for (url, words) in [
        ("localhost:8080", "is not a base URL"),
        ("ftp://host/", "is not a base URL"),
        ("http://me:pass@host/v1", "must not hold a user name"),
    ] {
        let config = ProviderConfig {
            base_url: url.to_owned(),
            ..config("openai")
        };
        let error = Models::new(vec![config], &Catalogue::default()).unwrap_err();
        let shown = error.to_string();
        assert!(
            shown.starts_with("provider openai: ") && shown.contains(words),
            "{shown}"
        );
        assert!(!shown.contains("me:pass"));
    }
    let broken = ProviderConfig {
        key: Some(SecretString::from("sk\nbroken")),
        ..config("openai")
    };
    let error = Models::new(vec![broken], &Catalogue::default()).unwrap_err();
    assert!(matches!(
        error,
        ModelsError::Endpoint {
            problem: EndpointError::Key,
            ..
        }
    ));
}

#[test]
fn an_empty_key_is_no_key() {
    let endpoint = Endpoint::new("http://127.0.0.1:1/v1/", Some(SecretString::from(" "))).unwrap();
    assert!(!endpoint.has_key() && endpoint.is_loopback());
    assert_eq!(endpoint.base_url(), "http://127.0.0.1:1/v1");
    assert!(
        !Endpoint::new("https://api.openai.com/v1", None)
            .unwrap()
            .is_loopback()
    );
}
