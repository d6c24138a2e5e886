use super::*;

fn reduced(entries: &str) -> String {
    render(&reduce(entries, "2026-11-15").unwrap()).unwrap()
}

fn entry(more: &str) -> String {
    format!(
        "{{\"x\": {{\"litellm_provider\": \"openai\", \"mode\": \"chat\", \
         \"supports_function_calling\": true, \"max_input_tokens\": 400000, \
         \"max_output_tokens\": 8000, \"input_cost_per_token\": 1.25e-06, \
         \"output_cost_per_token\": 1e-05{more}}}}}"
    )
}

#[test]
fn an_entry_becomes_one_line() {
    let more = ", \"cache_read_input_token_cost\": 1.25e-07";
    assert_eq!(
        reduced(&entry(more).replace("\"x\"", "\"gpt-5\"")),
        "[\n{\"id\":\"openai/gpt-5\",\"provider\":\"openai\",\"tier\":\"balanced\",\
         \"context\":400000,\"max_output\":8000,\"tokenizer\":\"o200k\",\
         \"price\":{\"input\":1250000,\"cache_read\":125000,\"cache_write\":1250000,\
         \"output\":10000000}}\n]\n"
    );
}

#[test]
fn the_context_ends_where_the_price_does() {
    let dearer = ", \"input_cost_per_token_above_272k_tokens\": 5e-06, \
                  \"input_cost_per_token_above_100k_tokens_batches\": 5e-06";
    assert!(reduced(&entry(dearer)).contains("\"context\":272000"));
}

#[test]
fn reasoning_is_priced_at_the_dearer_rate() {
    let more = ", \"output_cost_per_reasoning_token\": 4e-05";
    let line = reduced(&entry(more));
    assert!(line.contains("\"output\":40000000"), "{line}");
    assert!(line.contains("\"tier\":\"premium\""), "{line}");
}

#[test]
fn what_is_not_known_or_over_is_not_listed() {
    let refused = |text: &str| reduce(text, "2026-11-15").is_err();
    assert!(!refused(&entry("")));
    assert!(refused(&entry("").replace("1e-05", "0.0")));
    assert!(refused(&entry("").replace("true", "false")));
    assert!(refused(&entry("").replace("\"chat\"", "\"responses\"")));
    assert!(refused(&entry("").replace("8000", "null")));
    assert!(refused(&entry(", \"deprecation_date\": \"2026-11-15\"")));
    assert!(!refused(&entry(", \"deprecation_date\": \"2026-12-01\"")));
    assert!(refused(&entry("").replace("1e-05", "1e-13")), "not exact");
}

#[test]
fn twins_are_listed_once() {
    let list = |price: &str| {
        let one = entry("");
        let inner = one
            .strip_prefix("{\"x\": ")
            .unwrap()
            .strip_suffix('}')
            .unwrap();
        let other = inner.replace("1e-05", price);
        format!("{{\"a\": {inner}, \"a-latest\": {other}, \"a-20251001\": {inner}}}")
    };
    let ids = |list: &str| -> Vec<String> {
        let entries = reduce(list, "2026-11-15").unwrap();
        entries.into_iter().map(|entry| entry.id).collect()
    };
    assert_eq!(ids(&list("1e-05")), ["openai/a"]);
    assert_eq!(ids(&list("2e-05")), ["openai/a", "openai/a-latest"]);
}

#[test]
fn two_prices_for_one_model_are_refused() {
    let one = entry("");
    let inner = one
        .strip_prefix("{\"x\": ")
        .unwrap()
        .strip_suffix('}')
        .unwrap();
    let other = inner.replace("1e-05", "2e-05");
    assert!(reduce(&format!("{{\"a\": {inner}, \"openai/a\": {other}}}"), "").is_err());
}
