//! `run_tests`: the project's own tests by its recipe, in the sandbox, without network.

use std::time::Duration;

use gavel_domain::{SandboxLevel, VerifyVerdict};
use gavel_workspace::{Judgement, Recipe, detect_recipes, judge};
use schemars::JsonSchema;
use serde::Deserialize;

use super::run_command::describe;
use crate::{
    CommandRoom, Data, Keep, ToolClass, ToolContext, ToolHandler, ToolOutput, ToolRefusal,
};

const WALL: Duration = Duration::from_secs(900);

/// The tool.
#[derive(Debug, Clone, Copy)]
pub struct RunTests;

/// Its arguments: none.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunTestsInput {}

impl ToolHandler for RunTests {
    type Input = RunTestsInput;
    const NAME: &'static str = "run_tests";
    const PURPOSE: &'static str = "Run the project's tests and count them.";
    const CLASS: ToolClass = ToolClass::Tree;

    fn works_in(context: &ToolContext) -> bool {
        context.has_tree() && context.has_commands()
    }

    async fn run(
        &self,
        context: &ToolContext,
        _input: RunTestsInput,
    ) -> Result<ToolOutput, ToolRefusal> {
        let room = context.commands()?;
        let recipes = context
            .blocking(|context| Ok(detect_recipes(context.files())))
            .await?;
        if recipes.is_empty() {
            return Err(ToolRefusal::new(
                "no recipe fits this tree: there is no Cargo.toml, package.json or Python project \
                 at its root; use run_command",
            ));
        }
        let mut verdicts = Vec::with_capacity(recipes.len());
        for recipe in recipes {
            verdicts.push(test(room, recipe).await?);
        }
        gather(verdicts)
    }
}

/// What one recipe came to.
struct Tested {
    judgement: Judgement,
    words: String,
    output: Data,
    level: SandboxLevel,
}

async fn test(room: &CommandRoom, recipe: Recipe) -> Result<Tested, ToolRefusal> {
    let argv = recipe
        .test(room.cache())
        .map_err(|error| ToolRefusal::from_error(&error))?;
    let outcome = room.run_whole(argv, WALL).await?;
    let judgement = judge(recipe, &outcome);
    let counts = judgement.counts;
    let words = format!(
        "{}: {} ({}), {} passed, {} failed, {} skipped; {}",
        recipe.name(),
        verdict_word(judgement.verdict()),
        judgement.reason.code(),
        counts.passed,
        counts.failed,
        counts.skipped,
        describe(&outcome)
    );
    let level = outcome.confinement.level();
    let output = Data {
        source: format!("output of the {} tests", recipe.name()),
        text: outcome.output.text,
        keep: Keep::Ends,
    };
    Ok(Tested {
        judgement,
        words,
        output,
        level,
    })
}

/// All recipes must pass; a verdict that is unclear is no pass.
fn gather(tested: Vec<Tested>) -> Result<ToolOutput, ToolRefusal> {
    let passed = |one: &Tested| one.judgement.verdict() == VerifyVerdict::Passed;
    let all = tested.iter().all(passed);
    let words: Vec<&str> = tested.iter().map(|one| one.words.as_str()).collect();
    let words = words.join("\n");
    let level = tested.first().map(|one| one.level);
    let data: Vec<Data> = tested.into_iter().map(|one| one.output).collect();
    if all {
        Ok(ToolOutput { words, data, level })
    } else {
        let sentence = words;
        Err(ToolRefusal {
            sentence,
            data,
            level,
        })
    }
}

const fn verdict_word(verdict: VerifyVerdict) -> &'static str {
    match verdict {
        VerifyVerdict::Passed => "passed",
        VerifyVerdict::Failed => "failed",
        VerifyVerdict::Unclear => "unclear",
    }
}
