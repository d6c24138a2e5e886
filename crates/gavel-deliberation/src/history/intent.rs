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
}

/// Words that tell an intent, the more telling intents first.
const WORDS: [(Intent, &[&str]); 8] = [
    (
        Intent::Dissent,
        &[
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
        let told = |(_, words): &&(Intent, &[&str])| words.iter().any(|word| self.names(word));
        WORDS.iter().find(told).map(|(intent, _)| *intent)
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
