//! A leader that does most of an idea, and says of the rest that it does not: what is sealed covers each ask
//! of the person, or names it.
//!
//! One idea is always tried, the others with `GAVEL_TEST_WITH=ideas`.

use gavel_testkit::asked_for;
use serde_json::{Value, json};

use crate::asks::{Crew, Spoil};

const ALWAYS: usize = 1;
const WHY: &str = "it comes in a later version";

struct Led {
    idea: &'static str,
    /// What the leader makes of it.
    built: &'static str,
    spoil: Spoil,
    /// The asks, and how each stands in the seal.
    asks: &'static [(&'static str, &'static str)],
}

/// The leader gives a reason for what it leaves out.
fn leaves_out(spec: &mut Value, asks: &[&str]) {
    let mut out = spec["left_out"].as_array().cloned().unwrap_or_default();
    out.extend(asks.iter().map(|ask| json!({"ask": ask, "reason": WHY})));
    spec["left_out"] = Value::Array(out);
}

const LED: [Led; 5] = [
    Led {
        idea: "habit tracker with streaks",
        built: "habit tracker",
        spoil: |spec| leaves_out(spec, &["a2"]),
        asks: &[("habit tracker", "covered"), ("with streaks", "excluded")],
    },
    Led {
        idea: "recipes with ingredients, with vim keys",
        built: "recipes with ingredients",
        spoil: |spec| leaves_out(spec, &["a3"]),
        asks: &[
            ("recipes", "covered"),
            ("with ingredients", "covered"),
            ("with vim keys", "excluded"),
        ],
    },
    Led {
        idea: "invoice tracker with clients, show unpaid",
        built: "invoice tracker with clients",
        spoil: |_| (),
        asks: &[
            ("invoice tracker", "covered"),
            ("with clients", "covered"),
            ("show unpaid", "open"),
        ],
    },
    Led {
        idea: "a todo list, fast and secure",
        built: "a todo list",
        spoil: |spec| leaves_out(spec, &["a2", "a3"]),
        asks: &[
            ("a todo list", "covered"),
            ("fast", "excluded"),
            ("secure", "excluded"),
        ],
    },
    Led {
        idea: "a list of shopping items that syncs with my phone",
        built: "a list of shopping items",
        spoil: |_| (),
        asks: &[
            ("a list of shopping items", "covered"),
            ("that syncs", "open"),
            ("with my phone", "open"),
        ],
    },
];

fn each_ask_is_covered_or_named(led: &Led) {
    let idea = led.idea;
    let crew = Crew::reading(idea, led.built, led.spoil);
    // Requests to a server are measured by their bytes, which are several to a token.
    let done = crew.start(idea, &["--yes", "-c", "models.max_input=400000"]);
    assert_eq!(done.code, Some(0), "{idea}: {done:?}");
    let seal = crew.studio.seal();
    assert_eq!(seal["valid"], true, "{idea}: {seal:#}");
    let predicate = &seal["statement"]["predicate"];
    let asks = predicate["asks"].as_array().unwrap().iter();
    let asks: Vec<(&str, &str)> = asks
        .map(|ask| {
            let kind = ask["standing"]["kind"].as_str().unwrap();
            (ask["text"].as_str().unwrap(), kind)
        })
        .collect();
    assert_eq!(asks, led.asks, "{idea}");
    let left_out = predicate["left_out"].to_string().replace("\\\"", "\"");
    let named = led.asks.iter().filter(|(_, kind)| *kind != "covered");
    for (ask, _) in named {
        let quoted = format!("\"{ask}\"");
        assert!(left_out.contains(&quoted), "{idea}: {ask}: {left_out}");
        assert!(done.stdout.contains(ask), "{idea}: {ask}: {done:?}");
    }
    assert_eq!(predicate["verdict"], "conditional", "{idea}");
    // The rules audited what a model wrote, and only who was asked is named.
    let audit = "audit: rules looked at what a model wrote";
    assert!(left_out.contains(audit), "{idea}: {left_out}");
    crew.server.finish();
}

#[test]
fn what_an_honest_leader_does_not_build_is_named() {
    let tried = if asked_for("ideas") {
        LED.len()
    } else {
        ALWAYS
    };
    for led in LED.iter().take(tried) {
        each_ask_is_covered_or_named(led);
    }
}
