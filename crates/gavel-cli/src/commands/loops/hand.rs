//! Who does something to a loop, and what they hand in, as it was typed.

use std::path::Path;

use anyhow::Context as _;
use gavel_deliberation::loops::{Hand, Handed, request_digest};
use gavel_domain::{AgentId, Seq, Speaker};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::control::read_text;
use crate::args::{HandArgs, HandedArgs, Who};
use crate::context::Context;
use crate::environment;
use crate::exit::Exit;
use crate::failure::Failure;

/// The variable that says who speaks.
const VARIABLE: &str = "GAVEL_AGENT";

/// The longest file with artifacts.
const MAX_FILE_BYTES: u64 = 4 << 20;

/// Something that is handed in, as a file has it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct ArtifactText {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    body: String,
    #[serde(default)]
    cites: Vec<String>,
    #[serde(default)]
    addresses_critique: Vec<String>,
    #[serde(default)]
    waived: Vec<WaivedText>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct WaivedText {
    id: String,
    reason: String,
}

impl Who {
    /// Who it is: by the flag, else by the variable. Nothing is guessed.
    pub(super) fn needed(&self) -> Result<AgentId, Failure> {
        self.needed_since("every change of a loop is somebody's")
    }

    /// The same, with the reason why somebody has to be named.
    pub(super) fn needed_since(&self, why: &str) -> Result<AgentId, Failure> {
        self.named()?.ok_or_else(|| {
            Failure::usage(format!("nobody is named: {why}"))
                .hint(format!("add --agent ID, or set {VARIABLE}"))
                .because("agent_missing")
        })
    }

    /// Who it is, if somebody said so.
    pub(super) fn named(&self) -> Result<Option<AgentId>, Failure> {
        if self.agent.is_some() {
            return Ok(self.agent.clone());
        }
        let Some(name) = environment::variable(VARIABLE) else {
            return Ok(None);
        };
        let named = name.parse().map_err(|error| {
            let error = anyhow::Error::new(error).context(format!("the variable {VARIABLE}"));
            Failure::new(Exit::Usage, error)
        })?;
        Ok(Some(named))
    }
}

impl HandArgs {
    /// The hand that asks for this.
    pub(super) fn read(&self, asked: &Value) -> Result<Hand, Failure> {
        let agent = self.who.needed()?;
        let request = self.request_id.as_ref();
        Ok(Hand {
            // Put together from what was understood, so however it was typed the digest is the same.
            request: request.map(|key| (key.clone(), request_digest(asked))),
            expected: self.expect.map(Seq),
            ..person(agent)
        })
    }
}

/// Somebody at this command line.
pub(super) const fn person(agent: AgentId) -> Hand {
    Hand {
        agent,
        speaker: Speaker::PERSON,
        expected: None,
        request: None,
    }
}

impl HandedArgs {
    /// What is handed in, and the same as data.
    pub(super) fn read(self, context: &Context) -> Result<(Vec<Handed>, Value), Failure> {
        let texts = match self.artifacts {
            Some(file) => from_file(&context.directory().join(&file), file == Path::new("-"))?,
            None => typed(self)?,
        };
        let told = serde_json::to_value(&texts).map_err(|error| Failure::new(Exit::Bug, error))?;
        let handed = texts.into_iter().map(handed);
        Ok((handed.collect::<Result<_, _>>()?, told))
    }
}

/// A file, or standard input.
pub(super) fn read_file(file: &Path, is_stdin: bool) -> Result<String, Failure> {
    if is_stdin {
        return read_text("-".to_owned());
    }
    let failed = |error: std::io::Error| {
        let error = anyhow::Error::new(error).context(file.display().to_string());
        Failure::new(Exit::Usage, error)
    };
    if std::fs::metadata(file).map_err(failed)?.len() > MAX_FILE_BYTES {
        return Err(Failure::usage(format!(
            "{} is longer than {MAX_FILE_BYTES} bytes; nothing was taken",
            file.display()
        )));
    }
    std::fs::read_to_string(file).map_err(failed)
}

fn from_file(file: &Path, is_stdin: bool) -> Result<Vec<ArtifactText>, Failure> {
    let text = read_file(file, is_stdin)?;
    serde_json::from_str(&text)
        .context("artifacts are a JSON list of {type, body, cites, addresses_critique, waived}")
        .map_err(|error| Failure::new(Exit::Usage, error))
}

fn typed(args: HandedArgs) -> Result<Vec<ArtifactText>, Failure> {
    let count = args.artifact.len();
    if args.cites.len() > count {
        let more = format!(
            "there are {} --cites for {count} --artifact",
            args.cites.len()
        );
        return Err(Failure::usage(more)
            .hint("several ids of one artifact stand in one --cites, with commas between them"));
    }
    let is_plan = !args.addresses.is_empty() || !args.waive.is_empty();
    if is_plan && count != 1 {
        return Err(
            Failure::usage("--addresses and --waive are of one plan: give one --artifact")
                .hint("--artifacts FILE takes more than that"),
        );
    }
    let mut cites = args.cites.iter().map(|ids| split(ids));
    let mut texts = Vec::new();
    for word in args.artifact {
        let Some((kind, body)) = word.split_once('=') else {
            let wrong = format!("`{}` is no TYPE=TEXT", shown(&word));
            return Err(Failure::usage(wrong).hint("--artifact critique=\"it is slow\""));
        };
        texts.push(ArtifactText {
            kind: kind.trim().to_owned(),
            body: read_text(body.to_owned())?,
            cites: cites.next().unwrap_or_default(),
            addresses_critique: args.addresses.clone(),
            waived: args
                .waive
                .iter()
                .map(|word| waived(word))
                .collect::<Result<_, _>>()?,
        });
    }
    Ok(texts)
}

fn waived(word: &str) -> Result<WaivedText, Failure> {
    match word.split_once('=') {
        Some((id, reason)) if !reason.trim().is_empty() => Ok(WaivedText {
            id: id.trim().to_owned(),
            reason: reason.trim().to_owned(),
        }),
        Some(_) | None => {
            let wrong = format!("`{}` is no ID=REASON", shown(word));
            Err(Failure::usage(wrong).hint("--waive art_1a2b3c4d_3=\"it is out of scope\""))
        }
    }
}

fn handed(text: ArtifactText) -> Result<Handed, Failure> {
    let kind = text.kind.parse();
    let waived = text.waived.into_iter().map(|left| (left.id, left.reason));
    Ok(Handed {
        kind: kind.map_err(|error: gavel_domain::WordError| Failure::new(Exit::Usage, error))?,
        body: text.body,
        cites: text.cites,
        addresses: text.addresses_critique,
        waived: waived.collect(),
    })
}

fn split(ids: &str) -> Vec<String> {
    let ids = ids.split(',').map(str::trim).filter(|id| !id.is_empty());
    ids.map(str::to_owned).collect()
}

fn shown(word: &str) -> String {
    word.chars().take(60).collect()
}

#[cfg(test)]
#[path = "hand_tests.rs"]
mod tests;
