//! Earlier councils whose outcome was doubted, for whoever debates the same subject again.

use gavel_deliberation::DOUBTED;
use gavel_domain::{RunId, Scope, Timestamp, ToolFinished};
use gavel_rules::{EarlierIdea, most_similar};
use gavel_run::{Blobs, Pure, Run, RunError};

/// The most of a topic, a choice or a reason that is repeated.
const MOST_CHARS: usize = 300;

/// A council whose judge wanted a person to look at what it came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DoubtedCouncil {
    /// The run that held it.
    pub run: RunId,
    /// When that was touched last.
    pub at: Timestamp,
    /// What was asked.
    pub topic: String,
    /// What it came to; empty where nothing was decided.
    pub came_to: String,
    /// How sure the judge was, in hundredths; nothing when nobody judged.
    pub confidence: Option<u32>,
    /// Why a person should look.
    pub reason: String,
}

impl DoubtedCouncil {
    fn line(&self) -> String {
        let came_to = match self.came_to.as_str() {
            "" => "came to nothing".to_owned(),
            choice => format!("came to {}", short(choice)),
        };
        let judged = match self.confidence {
            Some(confidence) => format!("judged {confidence} %"),
            None => "not judged".to_owned(),
        };
        format!(
            "{} \"{}\" {came_to}, {judged}: {}",
            self.run.short(),
            short(&self.topic),
            short(&self.reason)
        )
    }
}

/// Up to three of them on nearly the same subject, a line each; on record in the scope, whether there
/// are any or not.
pub(crate) async fn recall_doubted(
    run: &Run,
    scope: &Scope,
    topic: &str,
    councils: &[DoubtedCouncil],
) -> Result<Option<String>, RunError> {
    // Which councils there are is no input: the record says what was found when it was looked at.
    let looked = run.step(
        scope.key(DOUBTED)?,
        Pure,
        &topic,
        |blobs: Blobs| async move {
            let lines = similar(topic, councils);
            Ok(ToolFinished {
                tool: DOUBTED.to_owned(),
                ok: !lines.is_empty(),
                result: blobs.keep(lines.join("\n")),
                level: None,
                source: None,
            })
        },
    );
    let looked = looked.await?.value;
    match looked.ok {
        true => run.text(looked.result).await.map(Some),
        false => Ok(None),
    }
}

fn similar(topic: &str, councils: &[DoubtedCouncil]) -> Vec<String> {
    let Some(newest) = councils.iter().map(|council| council.at).max() else {
        return Vec::new();
    };
    let topics: Vec<EarlierIdea<'_>> = councils
        .iter()
        .map(|council| EarlierIdea {
            idea: &council.topic,
            at: council.at,
        })
        .collect();
    let found = most_similar(topic, newest, &topics).into_iter();
    let found = found.filter_map(|(place, _)| councils.get(place));
    found.map(DoubtedCouncil::line).collect()
}

fn short(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    line.chars().take(MOST_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn council(topic: &str, confidence: Option<u32>) -> DoubtedCouncil {
        DoubtedCouncil {
            run: "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap(),
            at: Timestamp::from_second(1).unwrap(),
            topic: topic.to_owned(),
            came_to: "PostgreSQL".to_owned(),
            confidence,
            reason: "nobody measured\nanything".to_owned(),
        }
    }

    #[test]
    fn councils_on_the_subject_are_repeated_and_others_are_not() {
        let councils = [
            council("SQLite or PostgreSQL for the orders?", Some(30)),
            council("Which colour has the button?", None),
        ];
        assert_eq!(
            similar("PostgreSQL or SQLite for our orders?", &councils),
            [
                "099a8057 \"SQLite or PostgreSQL for the orders?\" came to PostgreSQL, judged 30 %: nobody measured"
            ]
        );
        assert!(similar("How do we ship?", &councils).is_empty());
        assert!(similar("SQLite or PostgreSQL?", &[]).is_empty());
    }
}
