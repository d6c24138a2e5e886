//! Which models are worth a line: current ones that talk and call tools.

use std::collections::BTreeMap;

use super::entry::Entry;

/// Our name for a provider of the list, and the prefix that the list puts before its models.
pub(super) const PROVIDERS: [(&str, &str, &str); 7] = [
    ("anthropic", "anthropic", "anthropic/"),
    ("openai", "openai", "openai/"),
    ("gemini", "google", "gemini/"),
    ("deepseek", "deepseek", "deepseek/"),
    ("mistral", "mistral", "mistral/"),
    ("xai", "xai", "xai/"),
    ("groq", "groq", "groq/"),
];

/// Parts of a name that mark a model for something else than chat with tools, or a trial.
const OTHER_TRADES: [&str; 36] = [
    "audio",
    "beta",
    "chat-latest",
    "computer",
    "container",
    "customtools",
    "cyber",
    "daybreak",
    "deep-research",
    "exp",
    "fim",
    "ft:",
    "gemma",
    "glm",
    "guard",
    "gv2",
    "image",
    "labs",
    "learnlm",
    "live",
    "lyria",
    "mamba",
    "multi-agent",
    "non-reasoning",
    "omni",
    "pixtral",
    "realtime",
    "robotics",
    "rosalind",
    "safeguard",
    "search",
    "tts",
    "tuning",
    "vibe",
    "vision",
    "voxtral",
];

/// True for a model that a run could use.
pub(super) fn is_current(model: &str) -> bool {
    !OTHER_TRADES.iter().any(|word| model.contains(word))
}

/// True for a dated spelling of a model that is listed without its date, and for a `-latest` that
/// means the same as the shorter name.
pub(super) fn is_twin(entry: &Entry, entries: &BTreeMap<String, Entry>) -> bool {
    if let Some(base) = entry.id.strip_suffix("-latest") {
        return entries.get(base).is_some_and(|base| base.equals(entry));
    }
    let listed =
        |base: &str| entries.contains_key(base) || entries.contains_key(&format!("{base}-latest"));
    undated(&entry.id).is_some_and(listed)
}

/// `claude-haiku-4-5-20251001`, `gpt-5-2025-08-07`, `mistral-large-2512`: the name before the date.
fn undated(id: &str) -> Option<&str> {
    let base = id.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-');
    let tail = id.get(base.len()..)?;
    let date = tail.rsplit_once('-').map_or(tail, |(_, last)| last);
    match date.len() {
        2 if tail.len() >= 11 => id.get(..id.len() - 11),
        4 | 8 => id.get(..id.len() - date.len() - 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_taken_off() {
        assert_eq!(
            undated("a/claude-haiku-4-5-20251001"),
            Some("a/claude-haiku-4-5")
        );
        assert_eq!(undated("o/gpt-5-2025-08-07"), Some("o/gpt-5"));
        assert_eq!(undated("m/mistral-large-2512"), Some("m/mistral-large"));
        assert_eq!(undated("a/claude-haiku-4-5"), None);
        assert_eq!(undated("o/gpt-4.1"), None);
    }

    #[test]
    fn other_trades_are_left_out() {
        assert!(is_current("claude-opus-5"));
        assert!(!is_current("gpt-4o-audio-preview"));
        assert!(!is_current("gemini-exp-1206"));
    }
}
