//! Slots as people type them.

use super::*;

#[test]
fn slots_have_an_agent_and_a_profile_where_they_are_named() {
    let read = |text: &str| {
        let (role, agent, profile) = slot(text).unwrap();
        let agent = agent.map(|agent| agent.to_string());
        (role.to_string(), agent, profile)
    };
    let told = |role: &str, agent: Option<&str>, profile| {
        (role.to_owned(), agent.map(str::to_owned), profile)
    };
    assert_eq!(read("critic"), told("critic", None, None));
    assert_eq!(read("critic:claude"), told("critic", Some("claude"), None));
    let security = Some(Profile::Security);
    assert_eq!(read("critic:security"), told("critic", None, security));
    assert_eq!(read("critic::security"), told("critic", None, security));
    assert_eq!(
        read("critic:claude:security"),
        told("critic", Some("claude"), security)
    );
    assert_eq!(
        read("critic:acp:codex:security"),
        told("critic", Some("acp:codex"), security)
    );
    assert_eq!(
        read("critic:acp:codex"),
        told("critic", Some("acp:codex"), None)
    );
    assert!(slot("Critic").is_err());
    assert!(slot("critic:not an agent").is_err());
}
