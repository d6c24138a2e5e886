//! Prompts: what a person picks from a menu, told to their model.

use rmcp::ErrorData;
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};
use serde_json::Value;

/// The longest argument that is taken over.
const LONGEST: usize = 16 * 1024;

struct Recipe {
    name: &'static str,
    purpose: &'static str,
    argument: (&'static str, &'static str),
    words: &'static str,
}

const RECIPES: [Recipe; 3] = [
    Recipe {
        name: "start",
        purpose: "Build an idea with Gavel",
        argument: ("idea", "What to build"),
        words: "Start a run with gavel_start_run for the idea below. Then follow it with \
            gavel_run_status; when it waits for an answer that is yours to give, ask me and pass my \
            words on with gavel_answer. What only a person may decide, tell me to answer at the \
            command line.",
    },
    Recipe {
        name: "council",
        purpose: "Debate a question with evidence and dissent",
        argument: ("topic", "What to decide"),
        words: "Put the topic below to a council with gavel_council and follow it with \
            gavel_run_status. Tell me the options, the evidence for each, the dissent, and what is \
            still open.",
    },
    Recipe {
        name: "ideate",
        purpose: "Critique and improve a proposal against what the project remembers",
        argument: ("proposal", "What is proposed"),
        words: "Run an ideation loop on the proposal below: open it with gavel_coordinate (intent \
            ideate), read each brief, and submit what it asks for with gavel_loop. Cite only ids \
            that the brief contains. End with the plan draft and the critiques that it answers.",
    },
];

pub(super) fn all() -> Vec<Prompt> {
    let told = |recipe: &Recipe| {
        let (name, what) = recipe.argument;
        let argument = PromptArgument::new(name)
            .with_description(what)
            .with_required(true);
        Prompt::new(recipe.name, Some(recipe.purpose), Some(vec![argument]))
    };
    RECIPES.iter().map(told).collect()
}

pub(super) fn filled(name: &str, arguments: &JsonObject) -> Result<GetPromptResult, ErrorData> {
    let Some(recipe) = RECIPES.iter().find(|recipe| recipe.name == name) else {
        let name: String = name.chars().take(64).collect();
        let unknown = format!("unknown prompt: `{name}`; there are start, council and ideate");
        return Err(ErrorData::invalid_params(unknown, None));
    };
    let (argument, what) = recipe.argument;
    let given = arguments
        .get(argument)
        .and_then(Value::as_str)
        .map(str::trim);
    let Some(given) = given.filter(|given| !given.is_empty()) else {
        let missing = format!("the prompt `{name}` needs `{argument}`: {what}");
        return Err(ErrorData::invalid_params(missing, None));
    };
    let given = given
        .get(..given.floor_char_boundary(LONGEST))
        .unwrap_or(given);
    let text = format!("{}\n\n{argument}:\n{given}", recipe.words);
    let message = PromptMessage::new_text(Role::User, text);
    Ok(GetPromptResult::new(vec![message]).with_description(recipe.purpose))
}
