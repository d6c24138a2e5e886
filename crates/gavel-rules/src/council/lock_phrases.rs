//! The words by which speakers agree, refuse, ask and make conditions, in English and Vietnamese.
//!
//! Lower case; `a|b` is one of both, `a?` may be missing, `!a|b` is neither of both.

/// What says that everything is settled.
pub(super) const PHRASES: &[&str] = &[
    "everything|everything's is? now? locked|settled",
    "fully|completely|entirely aligned",
    "complete|full|total agreement",
    "no remaining|outstanding|open dispute|disputes|disagreement|disagreements",
    "no remaining|outstanding|open concern|concerns|objection|objections|issue|issues",
    "no further|more|other dispute|disputes|disagreement|disagreements",
    "no further|more|other concern|concerns|objection|objections|issue|issues",
    "design|architecture|plan|scope is? now? locked",
    "decision|decisions is|are? now? locked",
    "agree|agreed on|with where we've|we have? landed",
    "ready to proceed|implement|ship",
    "ready to move|go on|to|into|ahead|forward",
    "ready to start implementation|implementing|building|coding",
    "ready to start the implementation|build|work",
    "ready for implementation",
    "let's|lets proceed|move|go on? to|with|into the? implementation|implementing|build|building",
    "let us proceed|move|go on? to|with|into the? implementation|implementing|build|building",
    "final position|confirmation",
    "fully|completely|entirely agree|agreed|concur !that|how|why",
    "agree|agreed|concur fully|completely|entirely !that|how|why",
    "sign|signed|signing off",
    "ship it",
    "green light",
    "greenlight|greenlit",
    "looks|look good to me|go",
    "lgtm",
    "good to go|ship|proceed|merge",
    "nhất trí",
    "đồng ý hoàn toàn",
    "đồng ý với",
    "hoàn toàn đồng ý",
    "không còn gì? để? góp ý",
    "không còn gì? để? tranh luận|cãi",
    "không còn ý kiến",
    "sẵn sàng triển khai",
    "chốt sổ|lại|design",
    "chốt thiết kế",
];

/// What turns the phrase behind it round; so does every word that ends in `n't`.
pub(super) const HEADS: &[&str] = &[
    "not", "no", "nor", "never", "cannot", "cant", "dont", "wont", "hardly", "barely", "scarcely",
    "without", "neither", "nobody", "none", "unable", "refuse", "refuses", "refused", "against",
    "không", "chưa", "chẳng", "chả", "đừng",
];

/// What makes an agreement one that is still to come, or somebody's to give.
pub(super) const CONDITIONS: &[&str] = &[
    "once",
    "if",
    "whether",
    "unless",
    "until",
    "provided|providing",
    "assuming",
    "as soon as",
    "as long as",
    "only when|after",
    "when|after|before we|you|i|the|that|this|these|those",
    "subject to",
    "conditional|contingent on",
    "would|could|might",
    "nếu",
    "sau khi",
    "khi nào",
    "trừ khi",
    "miễn là",
    "với điều kiện",
];

/// What takes back, in the same sentence, a part of what was agreed to.
pub(super) const RESERVATIONS: &[&str] = &[
    "but",
    "however",
    "except",
    "though|although",
    "apart from",
    "other than",
    "nhưng",
    "tuy nhiên",
    "ngoại trừ",
];

/// The last words of a Vietnamese question, with or without its mark.
pub(super) const VIETNAMESE_QUESTION: &[&str] = &["không", "chưa"];
