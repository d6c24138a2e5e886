//! `run_tests`: the project's own tests by its recipe, and its smoke runs, in the sandbox, without
//! network.

use std::time::Duration;

use gavel_domain::{SandboxLevel, VerifyVerdict};
use gavel_workspace::{
    Closings, CommandError, FileList, Recipe, RecipeFound, Recipes, RepoDir, Smoke, find_recipe,
    judge, runs_tests_alone,
};
use schemars::JsonSchema;
use serde::Deserialize;

use super::files::refuse;
use super::run_command::{describe, hidden_files, take_back};
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
        let found = context.blocking(|context| {
            let walked = context.files().walk(&RepoDir::ROOT, FileList::MOST);
            let files = walked.map_err(|error| refuse(&error))?.into();
            Ok(find_recipe(context.files(), &files))
        });
        let Recipes {
            tests,
            smoke,
            limit,
        } = match found.await? {
            RecipeFound::Found(recipes) => recipes,
            none @ (RecipeFound::None
            | RecipeFound::NoTests
            | RecipeFound::Unseen(_)
            | RecipeFound::Unusable(_)) => {
                let words = format!("{} Use run_command.", none.lacks());
                return Err(ToolRefusal::new(words));
            }
        };
        let mut verdicts = Vec::with_capacity(tests.len());
        for recipe in &tests {
            verdicts.push(test(room, recipe).await?);
        }
        for what in &smoke {
            verdicts.push(try_out(room, what).await?);
        }
        let large = take_back(context).await?;
        let limit = limit.map(|limit| limit.to_string());
        gather(verdicts, limit.into_iter().chain(large))
    }
}

/// What one recipe came to.
struct Tested {
    passed: bool,
    words: String,
    output: Data,
    level: Option<SandboxLevel>,
}

async fn test(room: &CommandRoom, recipe: &Recipe) -> Result<Tested, ToolRefusal> {
    let argv = recipe
        .test(room.cache())
        .map_err(|error| ToolRefusal::from_error(&error))?;
    // Before it runs: a test may write the manifest anew.
    let closes = Closings::of(recipe, runs_tests_alone(recipe, room.tree()));
    let outcome = room.run_whole(argv, WALL).await?;
    let judgement = judge(recipe, closes, &outcome);
    let counts = judgement.counts;
    let coverage = judgement.coverage.map_or_else(String::new, |share| {
        format!(", coverage {}.{} %", share / 10, share % 10)
    });
    let words = format!(
        "{}: {} ({}), {} passed, {} failed, {} skipped{coverage}; {}",
        recipe.name(),
        verdict_word(judgement.verdict()),
        judgement.reason.code(),
        counts.passed,
        counts.failed,
        counts.skipped,
        describe(&outcome) + &hidden_files(room)
    );
    let level = Some(outcome.confinement.level());
    let output = Data {
        source: format!("output of the {} tests", recipe.name()),
        text: outcome.output.text,
        keep: Keep::Ends,
    };
    Ok(Tested {
        passed: judgement.verdict() == VerifyVerdict::Passed,
        words,
        output,
        level,
    })
}

async fn try_out(room: &CommandRoom, what: &Smoke) -> Result<Tested, ToolRefusal> {
    let seen = match room.smoke(what).await {
        Ok(seen) => seen,
        // Nobody who writes code can mend that; the verification says so too.
        Err(error @ CommandError::NoLoopback { .. }) => {
            return Ok(Tested {
                passed: true,
                words: format!("smoke {}: not tried, {error}", what.request()),
                output: Data {
                    source: "smoke run".to_owned(),
                    text: String::new(),
                    keep: Keep::Ends,
                },
                level: None,
            });
        }
        Err(error) => return Err(ToolRefusal::from_error(&error)),
    };
    let word = if seen.passed { "passed" } else { "failed" };
    let answer = match seen.status {
        Some(_) => format!("answer:\n{}\n\nprinted meanwhile:\n", seen.excerpt),
        None => String::new(),
    };
    Ok(Tested {
        passed: seen.passed,
        words: format!("smoke {}: {word}, {}", seen.request, seen.said),
        output: Data {
            source: format!("smoke run {}", seen.request),
            text: answer + &seen.outcome.output.text,
            keep: Keep::Ends,
        },
        level: Some(seen.outcome.confinement.level()),
    })
}

/// All recipes must pass; a verdict that is unclear is no pass.
fn gather(
    tested: Vec<Tested>,
    notes: impl Iterator<Item = String>,
) -> Result<ToolOutput, ToolRefusal> {
    let all = tested.iter().all(|one| one.passed);
    let words = tested.iter().map(|one| one.words.clone());
    let words: Vec<String> = words.chain(notes).collect();
    let words = words.join("\n");
    let level = tested.iter().find_map(|one| one.level);
    let data: Vec<Data> = tested.into_iter().map(|one| one.output).collect();
    if all {
        Ok(ToolOutput {
            words,
            data,
            level,
            source: None,
        })
    } else {
        let sentence = words;
        Err(ToolRefusal {
            sentence,
            data,
            level,
            source: None,
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
