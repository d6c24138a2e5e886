//! What a question about a debate is after, by its words; English and Vietnamese.

/// What a question is after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intent {
    /// Who was against, and why.
    Dissent,
    /// Who was for what.
    Votes,
    /// How many rounds, and why it ended.
    Rounds,
    /// How sure one can be.
    Sure,
    /// What it rests on.
    Evidence,
    /// What it took.
    Cost,
    /// Who led and who sat where.
    Seats,
    /// What was decided or recommended.
    Decided,
    /// What may go wrong, and what is paid for what.
    Risks,
    /// What stayed open.
    Open,
}

/// Words that tell an intent, the more telling intents first.
const WORDS: [(Intent, &[&str]); 10] = [
    (
        Intent::Risks,
        &[
            "risk",
            "risks",
            "risky",
            "danger",
            "dangers",
            "downside",
            "downsides",
            "drawback",
            "drawbacks",
            "trade off",
            "trade offs",
            "tradeoff",
            "tradeoffs",
            "go wrong",
            "rủi ro",
            "đánh đổi",
        ],
    ),
    (
        Intent::Open,
        &[
            "undecided",
            "unresolved",
            "still open",
            "left open",
            "stayed open",
            "remains open",
            "open questions",
            "not settled",
            "chưa quyết định",
        ],
    ),
    (
        Intent::Dissent,
        &[
            "not agree",
            "t agree",
            "never agreed",
            "nobody agreed",
            "not convinced",
            "against",
            "dissent",
            "dissents",
            "dissented",
            "dissenter",
            "dissenters",
            "dissenting",
            "disagree",
            "disagrees",
            "disagreed",
            "disagreement",
            "oppose",
            "opposes",
            "opposed",
            "object",
            "objects",
            "objected",
            "objection",
            "objections",
            "minority",
            "phản đối",
            "không đồng ý",
            "bất đồng",
            "chống lại",
        ],
    ),
    (
        Intent::Votes,
        &[
            "who voted",
            "who was for",
            "who were for",
            "who supported",
            "who agreed",
            "vote",
            "votes",
            "voted",
            "ai ủng hộ",
            "ai đồng ý",
            "bỏ phiếu",
        ],
    ),
    (
        Intent::Rounds,
        &[
            "how many rounds",
            "rounds",
            "why did it stop",
            "why did it end",
            "why did the debate",
            "stopped",
            "stop",
            "ended",
            "bao nhiêu vòng",
            "mấy vòng",
            "dừng",
            "kết thúc",
        ],
    ),
    (
        Intent::Sure,
        &[
            "how sure",
            "how certain",
            "confident",
            "confidence",
            "badge",
            "density",
            "reliable",
            "rely on",
            "trust",
            "judge",
            "judged",
            "verdict",
            "human review",
            "tin cậy",
            "chắc chắn",
            "đánh giá",
        ],
    ),
    (
        Intent::Evidence,
        &[
            "evidence",
            "cite",
            "cites",
            "cited",
            "citation",
            "citations",
            "source",
            "sources",
            "proof",
            "which tools",
            "what tools",
            "which tool",
            "tool results",
            "which memory",
            "memory items",
            "looked up",
            "research",
            "researched",
            "bằng chứng",
            "dẫn chứng",
            "trích dẫn",
            "nguồn",
        ],
    ),
    (
        Intent::Cost,
        &[
            "cost",
            "costs",
            "how much did",
            "how long",
            "duration",
            "how many calls",
            "chi phí",
            "bao lâu",
            "tốn bao nhiêu",
        ],
    ),
    (
        Intent::Seats,
        &[
            "who leads",
            "who led",
            "leader",
            "which model",
            "which models",
            "what model",
            "what models",
            "models",
            "seats",
            "participants",
            "who took part",
            "who was there",
            "who spoke",
            "who sat",
            "stances",
            "ai dẫn",
            "ai chủ trì",
            "mô hình",
            "tham gia",
        ],
    ),
    (
        Intent::Decided,
        &[
            "decide",
            "decided",
            "decision",
            "decisions",
            "chosen",
            "recommend",
            "recommends",
            "recommended",
            "recommendation",
            "outcome",
            "result",
            "conclusion",
            "the plan",
            "next steps",
            "action items",
            "what next",
            "quyết định",
            "khuyến nghị",
            "kết luận",
            "kế hoạch",
            "kết quả",
        ],
    ),
];

/// What makes the opposite of a word that stands behind it.
const DENIALS: [&str; 7] = ["chưa", "không", "never", "no", "nobody", "not", "t"];
/// How far before the word it stands.
const NEAR: usize = 3;
/// Words behind which the subject of a question stands.
const SUBJECT: [&str; 5] = [
    " about ",
    " regarding ",
    " concerning ",
    " against ",
    " về ",
];

/// A question in a form that can be looked at word by word.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    /// Lower case, words only, a space before and behind each.
    words: String,
}

impl Asked {
    pub(super) fn new(question: &str) -> Self {
        Self {
            words: words_of(question),
        }
    }

    /// True when the words stand in the question as they are.
    pub(super) fn names(&self, words: &str) -> bool {
        let words = words_of(words);
        words.trim().len() > 1 && self.words.contains(&words)
    }

    /// What the question is after; nothing where no word tells.
    pub(super) fn intent(&self) -> Option<Intent> {
        let told = WORDS.iter().find_map(|(intent, words)| {
            let word = words.iter().find(|word| self.names(word))?;
            Some((*intent, *word))
        });
        let (intent, word) = told?;
        let opposite = [
            (Intent::Dissent, Intent::Votes),
            (Intent::Votes, Intent::Dissent),
            (Intent::Decided, Intent::Open),
        ];
        let opposite = opposite.iter().find(|(asked, _)| *asked == intent);
        match opposite {
            Some((_, opposite)) if self.denies(word) => Some(*opposite),
            Some(_) | None => Some(intent),
        }
    }

    /// True where the question asks for the opposite of a word: `who was not against`.
    fn denies(&self, word: &str) -> bool {
        let before = self.words.split(&words_of(word)).next().unwrap_or_default();
        let near: Vec<&str> = before.split_whitespace().rev().take(NEAR).collect();
        // `Didn't` is two words here.
        near.iter().any(|word| DENIALS.contains(word))
    }

    /// The words about which it asks, where it says so.
    pub(super) fn subject(&self) -> Option<&str> {
        let behind = |word: &&str| self.words.rfind(*word).map(|at| at + word.len() - 1);
        let from = SUBJECT.iter().filter_map(behind).max()?;
        self.words
            .get(from..)
            .map(str::trim)
            .filter(|rest| !rest.is_empty())
    }
}

fn words_of(text: &str) -> String {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!(" {} ", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_denied_word_asks_for_the_opposite() {
        for (question, intent) in [
            ("Who was against?", Intent::Dissent),
            ("Who was not against it?", Intent::Votes),
            ("Who didn't object?", Intent::Votes),
            ("Who did not agree?", Intent::Dissent),
            ("Who voted for it?", Intent::Votes),
            ("Who never voted for it?", Intent::Dissent),
            ("What was decided?", Intent::Decided),
            ("What was not decided?", Intent::Open),
            ("What are the risks?", Intent::Risks),
            ("Which downsides were named?", Intent::Risks),
            ("What is still open?", Intent::Open),
        ] {
            assert_eq!(Asked::new(question).intent(), Some(intent), "{question}");
        }
        assert_eq!(Asked::new("What about locks?").intent(), None);
    }
}
