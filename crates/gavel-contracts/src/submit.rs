//! The tool that takes a contract, or says what must be mended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gavel_agent::{Data, ToolClass, ToolContext, ToolHandler, ToolOutput, ToolRefusal};
use gavel_domain::ContractKind;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Agreement, ContractInputs, Finding, MAX_CONTRACT_BYTES, Shelf, check, missing_examples,
    parse_phases, prompt,
};

/// From this flow on a missing example is refused once.
const REFUSED_FLOW: u32 = 9;
/// The most findings that a refusal tells; the rest follows when these are mended.
const MAX_TOLD: usize = 12;

/// Why a contract is refused whose criteria nobody can execute.
const WITHOUT_EXAMPLES: &str = "not accepted yet: what can be seen from outside is executed at the end, and \
    counts more than any test; give each of these criteria an example, or say why it can have none as \
    `none: reason`, and submit the whole contract again";

/// What is done about criteria without an example that can be executed.
#[derive(Debug)]
pub(crate) enum MissingExamples {
    /// They are told, and the contract is taken: runs that began before they were refused.
    Told,
    /// The contract is refused for them once. Whoever hands it in again is believed.
    RefusedOnce(AtomicBool),
}

impl MissingExamples {
    /// The rule of a run of this flow.
    pub(crate) const fn of_flow(flow: u32) -> Self {
        match flow {
            ..REFUSED_FLOW => Self::Told,
            REFUSED_FLOW.. => Self::RefusedOnce(AtomicBool::new(false)),
        }
    }

    /// True the first time that a contract is refused for them.
    fn refuses(&self) -> bool {
        match self {
            Self::Told => false,
            Self::RefusedOnce(refused) => !refused.swap(true, Ordering::Relaxed),
        }
    }
}

/// The tool `submit_contract`, for one kind.
#[derive(Debug)]
pub(crate) struct SubmitContract {
    pub(crate) kind: ContractKind,
    pub(crate) shelf: Arc<Shelf>,
    pub(crate) inputs: Arc<ContractInputs>,
    pub(crate) examples: MissingExamples,
}

/// Its arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SubmitContractInput {
    /// The whole text.
    content: String,
}

impl SubmitContractInput {
    /// Reads the text out of arguments that were accepted.
    pub(crate) fn text_of(arguments: &str) -> Result<String, serde_json::Error> {
        let input: Self = serde_json::from_str(arguments)?;
        Ok(plain(&input.content))
    }
}

impl ToolHandler for SubmitContract {
    type Input = SubmitContractInput;
    const NAME: &'static str = "submit_contract";
    const PURPOSE: &'static str = "Hand in the whole contract; it is checked at once.";
    const CLASS: ToolClass = ToolClass::Pure;

    async fn run(
        &self,
        _: &ToolContext,
        input: SubmitContractInput,
    ) -> Result<ToolOutput, ToolRefusal> {
        let kind = self.kind;
        if input.content.len() > MAX_CONTRACT_BYTES {
            return Err(ToolRefusal::new(format!(
                "not accepted: {} bytes, and a contract has {MAX_CONTRACT_BYTES} at most; say it \
                 shorter",
                input.content.len()
            )));
        }
        let text = plain(&input.content);
        if let Some(line) = prompt::copied(kind, &text, &self.inputs.spec) {
            return Err(ToolRefusal::new(format!(
                "not accepted: `{line}` stands in the skeleton, which shows the format alone; \
                 write about this product"
            )));
        }
        let agreement = Agreement {
            shelf: &self.shelf,
            spec: Some(&self.inputs.spec),
        };
        let findings = check(kind, &text, &agreement);
        if let (true, Some(problem)) = (findings.is_empty(), self.too_many_phases(&text)) {
            return Err(ToolRefusal::new(problem));
        }
        if findings.is_empty() {
            return self.accepted(&text);
        }
        Err(refusal(kind, &findings))
    }
}

impl SubmitContract {
    /// Takes a contract without findings; criteria without an example are refused once, then told.
    fn accepted(&self, text: &str) -> Result<ToolOutput, ToolRefusal> {
        let accepted = ToolOutput::words(format!("accepted: {}", self.kind));
        let missing = missing(self.kind, text);
        if missing.is_empty() {
            return Ok(accepted);
        }
        let told: String = missing.iter().take(MAX_TOLD).map(line_about).collect();
        let told = Data::new("findings", told);
        if self.examples.refuses() {
            return Err(ToolRefusal::new(WITHOUT_EXAMPLES).with(told));
        }
        Ok(accepted.with(told))
    }

    /// More phases than the build may have could never all be built.
    fn too_many_phases(&self, text: &str) -> Option<String> {
        let most = self.inputs.most_phases?;
        if self.kind != ContractKind::Phases {
            return None;
        }
        let phases = parse_phases(text).ok()?.len();
        let fits = u32::try_from(phases).is_ok_and(|phases| phases <= most);
        (!fits).then(|| {
            format!("not accepted: {phases} phases, and this build may have {most}; join some")
        })
    }
}

/// What can still be made better.
fn missing(kind: ContractKind, text: &str) -> Vec<Finding> {
    match kind {
        ContractKind::Phases => missing_examples(text),
        ContractKind::Manifesto
        | ContractKind::Blueprint
        | ContractKind::Stack
        | ContractKind::Schema
        | ContractKind::Physics
        | ContractKind::Boundaries
        | ContractKind::Ui
        | ContractKind::BuilderDirective => Vec::new(),
    }
}

fn refusal(kind: ContractKind, findings: &[Finding]) -> ToolRefusal {
    let mut told: String = findings.iter().take(MAX_TOLD).map(line_about).collect();
    if findings.len() > MAX_TOLD {
        told.push_str(&format!("and {} more\n", findings.len() - MAX_TOLD));
    }
    let sentence = format!(
        "not accepted: {kind} has {} finding(s); mend them and submit the whole contract again",
        findings.len()
    );
    // Findings quote the contract, so they are content.
    ToolRefusal::new(sentence).with(Data::new("findings", told))
}

fn line_about(finding: &Finding) -> String {
    let Finding {
        rule,
        line,
        message,
        help,
        ..
    } = finding;
    match line {
        Some(line) => format!("- line {line}, {rule}: {message}; {help}\n"),
        None => format!("- {rule}: {message}; {help}\n"),
    }
}

/// The text without the fence around it that models like to add, with plain line ends.
///
/// No contract begins with a fence, so nothing of its own is lost.
fn plain(content: &str) -> String {
    let text = content.replace("\r\n", "\n");
    let mut text = text.trim_start_matches('\u{feff}').trim();
    if let Some((first, rest)) = text.split_once('\n')
        && let Some((inside, last)) = rest.rsplit_once('\n')
        && is_fence(first, last)
    {
        text = inside.trim();
    }
    format!("{text}\n")
}

fn is_fence(first: &str, last: &str) -> bool {
    let Some(mark) = first.chars().next().filter(|c| matches!(c, '`' | '~')) else {
        return false;
    };
    let info = first.trim_start_matches(mark);
    let length = first.len() - info.len();
    let last = last.trim();
    length >= 3 && !info.contains(mark) && last.len() >= length && last.chars().all(|c| c == mark)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{sample, sample_shelf, sample_spec};

    /// What comes of handing in phases of which one criterion has no example, several times.
    fn handed_in(flow: u32, text: &str) -> [bool; 3] {
        let submit = SubmitContract {
            kind: ContractKind::Phases,
            shelf: Arc::new(sample_shelf()),
            inputs: Arc::new(ContractInputs {
                idea: "lamps".to_owned(),
                answers: Vec::new(),
                decisions: Vec::new(),
                spec: sample_spec(),
                memory: Vec::new(),
                most_phases: None,
            }),
            examples: MissingExamples::of_flow(flow),
        };
        [(); 3].map(|()| submit.accepted(text).is_ok())
    }

    #[test]
    fn a_missing_example_is_refused_once() {
        let missing = sample(ContractKind::Phases);
        assert_eq!(handed_in(9, &missing), [false, true, true]);
        assert_eq!(handed_in(8, &missing), [true, true, true]);
        let fence = "the lamps.\n  ```\n  none: nothing is printed\n  ```\n";
        let explained = missing.replacen("the lamps.\n", fence, 1);
        assert_eq!(handed_in(9, &explained), [true, true, true]);
    }

    #[test]
    fn a_fence_around_the_whole_is_taken_off() {
        for (content, expected) in [
            ("# A\n\ntext", "# A\n\ntext\n"),
            ("\n\n# A\n\n\n", "# A\n"),
            ("```markdown\n# A\n```", "# A\n"),
            ("````\n# A\n```\nx\n```\n````\n", "# A\n```\nx\n```\n"),
            // The inner fence is as long as the outer one, as models write it.
            ("```\n# A\n```\nx\n```\n```", "# A\n```\nx\n```\n"),
            ("~~~ yaml\r\ninfo: 1\r\n~~~", "info: 1\n"),
            ("\u{feff}# A", "# A\n"),
            // Words after the fence are not dropped.
            ("```\n# A\n```\nDone!", "```\n# A\n```\nDone!\n"),
            ("```a``` is code\n```", "```a``` is code\n```\n"),
            ("```", "```\n"),
            ("", "\n"),
        ] {
            assert_eq!(plain(content), expected, "{content:?}");
            assert_eq!(plain(&plain(content)), plain(content), "{content:?}");
        }
    }
}
