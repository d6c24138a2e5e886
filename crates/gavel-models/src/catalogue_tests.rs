use serde_json::json;

use super::*;
use crate::KNOWN_PROVIDERS;

fn id(text: &str) -> ModelId {
    text.parse().unwrap()
}

fn own(value: serde_json::Value) -> Result<Catalogue, CatalogueError> {
    let overrides: Vec<ModelOverride> = serde_json::from_value(value).unwrap();
    Catalogue::default().with_overrides(&overrides)
}

#[test]
fn the_built_in_list_is_sound() {
    let catalogue = Catalogue::built_in().unwrap();
    assert!(catalogue.iter().count() > 50);
    for info in catalogue.iter() {
        let known = KNOWN_PROVIDERS
            .iter()
            .any(|known| known.name == info.id.provider());
        assert!(known, "nobody can reach {}", info.id);
        assert!(
            info.max_output <= info.context && info.max_output > Tokens(0),
            "{}",
            info.id
        );
        let price = info.price.expect("the list keeps priced models only");
        assert!(
            price.output >= price.input && price.input >= price.cache_read,
            "{}",
            info.id
        );
        assert!(price.input > 0, "{} is not free", info.id);
    }
}

#[test]
fn an_override_changes_what_it_names() {
    let catalogue = Catalogue::built_in().unwrap();
    let listed = catalogue.iter().next().unwrap().clone();
    let overrides: Vec<ModelOverride> = serde_json::from_value(json!([
        {"id": listed.id, "price": {"input": "2.50", "output": "10"}},
        {"id": "home/llama", "context": 32768, "free": true},
    ]))
    .unwrap();
    let catalogue = catalogue.with_overrides(&overrides).unwrap();
    let price = Price {
        input: 2_500_000,
        cache_read: 2_500_000,
        cache_write: 3_125_000,
        output: 10_000_000,
    };
    let changed = catalogue.get(&listed.id).unwrap();
    assert_eq!(
        *changed,
        ModelInfo {
            price: Some(price),
            ..listed
        }
    );
    let home = catalogue.get(&id("home/llama")).unwrap();
    assert_eq!(
        (home.context, home.price),
        (Tokens(32768), Some(Price::FREE))
    );
}

#[test]
fn an_unknown_price_is_not_free() {
    let catalogue = own(json!([{"id": "home/llama"}])).unwrap();
    assert_eq!(catalogue.get(&id("home/llama")).unwrap().price, None);
    assert_eq!(ModelInfo::unlisted(id("home/llama")).price, None);
}

#[test]
fn nonsense_is_named() {
    let problem = own(json!([{"id": "a/b", "price": {"input": "-1", "output": "1"}}]));
    assert_eq!(
        problem.unwrap_err().to_string(),
        "models: `-1` is no price for a/b (dollars per million tokens, such as \"2.50\")"
    );
    let both = own(json!([{"id": "a/b", "free": true, "price": {"input": "1", "output": "1"}}]));
    assert!(matches!(both, Err(CatalogueError::FreeAndPriced { .. })));
    let unknown: Result<ModelOverride, _> = serde_json::from_value(json!({"id": "a/b", "cost": 1}));
    assert!(unknown.is_err());
}
