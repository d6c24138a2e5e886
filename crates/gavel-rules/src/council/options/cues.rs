//! Words that say whether a text is for something or against it, English and Vietnamese.

/// Which way a text speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Sign {
    /// For it.
    For,
    /// Against it.
    Against,
}

impl Sign {
    pub(super) const fn turned(self) -> Self {
        match self {
            Self::For => Self::Against,
            Self::Against => Self::For,
        }
    }
}

/// What a cue is, and where it must stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Cue {
    /// A choice or a rejection, right before what it is about: `use X`, `avoid X`.
    Choice,
    /// A choice or a rejection behind what it is about: `X is banned`.
    Chosen,
    /// What speaks against something only where it is denied: `cannot install X`. The name of a
    /// feature that sounds like trouble stands here too, and so says nothing: `skip locked`.
    Act,
    /// What happened to something, or what it is like, before it or behind it: `X failed`.
    Quality,
    /// What something asks for or brings along, behind it: `X needs a server`.
    Demand,
    /// What speaks against something only where it is denied right behind it: `X is not available`.
    Fit,
    /// What is over, right before it or behind it: `never again X`, `X is no longer around`.
    Ended,
}

impl Cue {
    /// True for what says outright what to do, which counts more than how something is.
    pub(super) const fn is_outright(self) -> bool {
        match self {
            Self::Choice | Self::Chosen | Self::Act | Self::Fit | Self::Ended => true,
            Self::Quality | Self::Demand => false,
        }
    }
}

/// Every cue. A `*` stands for any ending; phrases are divided by `|`.
const CUES: &[(Cue, Sign, &str)] = &[
    (
        Cue::Choice,
        Sign::For,
        "use|choose|chose|chosen|pick|picked|prefer*|decided on|decided for|decide on|decide for|\
         decided to use|settled on|settle on|stay with|stay on|stick with|stick to|keep|kept|go with|\
         went with|went back to|adopt|adopted|standardise on|standardised on|standardize on|\
         standardized on|recommend*|favour*|favor*|moved to|move to|switched to|switch to|\
         migrated to|migrate to|want|wants|require|requires|must be|asked for|asks for|insists on|nên dùng|dùng|chọn|\
         ưu tiên|chuyển sang",
    ),
    (
        Cue::Choice,
        Sign::Against,
        "avoid|avoids|avoided|drop|dropped|abandon*|reject*|ruled out|rule out|stop using|\
         stopped using|instead of|rather than|away from|moved from|moved off|move off|move from|\
         migrated from|migrate from|switched from|switch from|replace|replaced|remove|removed|\
         get rid of|got rid of|regret*|without|forbid*|forbade|ban|bans|banned|thay vì|tránh|\
         loại bỏ|bỏ|ngừng dùng",
    ),
    (
        Cue::Chosen,
        Sign::For,
        "was chosen|is chosen|were chosen|was picked|wins|won|is our|is the default|is required|\
         is mandatory|stays|được chọn",
    ),
    (
        Cue::Chosen,
        Sign::Against,
        "is out|was out|is gone|is banned|was banned|is forbidden|not allowed|was rejected|is rejected|\
         was dropped|was removed|was replaced|is deprecated|not an option|no option|was ruled out|\
         is ruled out|bị loại|bị cấm",
    ),
    (
        Cue::Act,
        Sign::For,
        "install|run|operate|deploy|have|allow|add|introduce|depend on|rely on|ship|start|host|\
         maintain|using|support|cài|\
         skip locked",
    ),
    (
        Cue::Fit,
        Sign::For,
        "available|suitable|suited|supported|permitted|viable|acceptable|approved|possible|\
         phù hợp|thích hợp|đáp ứng",
    ),
    (
        Cue::Ended,
        Sign::Against,
        "no longer|never again|not any more|not anymore|not any longer|không còn|không bao giờ",
    ),
    (
        Cue::Demand,
        Sign::Against,
        "needs a|needs an|needs its|needs another|requires a|requires an|requires its|depends on a|\
         would need|would mean|means running|adds a|adds another|costs|cần thêm",
    ),
    (
        Cue::Demand,
        Sign::For,
        "needs no|needs nothing|requires no|needs only|comes with|ships with|is embedded|\
         runs in process|is already|không cần",
    ),
    (
        Cue::Quality,
        Sign::For,
        "works|worked|working|enough|suffices|sufficient|reliable|reliably|robust|stable|fits|fast|\
         faster|simple|simpler|easy|easier|cheaper|safe|safer|proven|better|scales|handles|handled|\
         copes|coped|survived|survives|recovered|lightweight|good|great|fine|likes|liked|love|loves|served us|\
         tốt|ổn định|nhanh|đủ",
    ),
    (
        Cue::Quality,
        Sign::Against,
        "lost|lose|loses|losing|loss|corrupt*|broke|broken|breaks|locks|locked|locking|lockups|deadlock*|\
         slow|slower|fail|fails|failed|failing|failure*|crash*|flaky|unreliable|unstable|exhausted|\
         exhausts|timeout*|timed out|times out|ran out|runs out|leaks|leaked|leaking|bug|bugs|buggy|\
         problem*|trouble|errors|hangs|hung|stalls|stalled|outage*|worse|harder|heavier|riskier|\
         heavy|costly|complex|complicated|burden|blocks|blocked|expensive|overkill|painful|\
         starved|starves|contention|unavailable|unsuitable|unsupported|not work|not scale|cannot scale|\
         cannot handle|not handle|not fit|not cope|mất|hỏng|chậm|lỗi|treo",
    ),
];

/// Turn what follows into its opposite.
const NEGATORS: &[&str] = &[
    "nobody", "couldnt", "havent", "hasnt", "no", "not", "never", "nothing", "neither", "nor",
    "hardly", "cannot", "cant", "dont", "doesnt", "didnt", "wont", "isnt", "wasnt", "arent",
    "werent", "wouldnt", "shouldnt", "mustnt", "không", "chưa", "chẳng", "đừng",
];
/// Turn what happened into its opposite, but no choice.
const PREVENTERS: &[&str] = &[
    "avoid",
    "avoids",
    "avoiding",
    "prevent",
    "prevents",
    "prevented",
    "preventing",
    "without",
    "tránh",
];
/// Make a choice one that nobody has made.
const HEDGES: &[&str] = &[
    "if",
    "whether",
    "unless",
    "could",
    "might",
    "may",
    "would",
    "consider",
    "considered",
    "compare",
    "compared",
    "evaluate",
    "nếu",
];

/// What a sentence says of what is absent or past: whoever wrote it down need not want it.
const ABSENT_OR_PAST: &[&str] = &[
    "none",
    "without",
    "lack",
    "lacks",
    "lacking",
    "missing",
    "absent",
    "gone",
    "anymore",
    "until",
    "till",
    "formerly",
    "previously",
    "originally",
    "initially",
    "tried",
    "tested",
    "evaluated",
    "stopped",
    "used",
    "was",
    "were",
    "had",
    "từng",
    "trước",
];
/// Says that what follows or what went before is past.
const BYGONE: &[&str] = &["formerly", "previously", "originally", "initially", "từng"];

/// The cue that these words begin with: its length in words, what it is, and which way it speaks.
/// The longest one counts.
pub(super) fn cue_at(words: &[String]) -> Option<(usize, Cue, Sign)> {
    let mut best: Option<(usize, Cue, Sign)> = None;
    for (cue, sign, phrases) in CUES {
        for phrase in phrases.split('|') {
            let length = phrase.split(' ').count();
            if best.is_none_or(|(known, ..)| known < length) && begins(words, phrase) {
                best = Some((length, *cue, *sign));
            }
        }
    }
    best
}

fn begins(words: &[String], phrase: &str) -> bool {
    let mut words = words.iter();
    phrase.split(' ').all(|part| {
        let Some(word) = words.next() else {
            return false;
        };
        match part.strip_suffix('*') {
            Some(beginning) => word.starts_with(beginning),
            None => word == part,
        }
    })
}

/// True for a word that turns a cue of this sort into its opposite.
pub(super) fn turns(word: &str, cue: Cue) -> bool {
    let prevents = !cue.is_outright() && PREVENTERS.contains(&word);
    cue != Cue::Ended && (NEGATORS.contains(&word) || prevents)
}

/// True for a word that denies what follows.
pub(super) fn denies(word: &str) -> bool {
    NEGATORS.contains(&word)
}

/// True for a word that puts a choice into the past.
pub(super) fn is_bygone(word: &str) -> bool {
    BYGONE.contains(&word)
}

/// The first word that leaves open whether what is named here is wanted: a negation, an absence,
/// a past, a condition.
pub(super) fn doubt(words: &[String]) -> Option<usize> {
    let open = |(at, word): (usize, &String)| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let before = before.map_or("", String::as_str);
        let after = words.get(at + 1).map_or("", String::as_str);
        let said = match word.as_str() {
            // `is used` is no past, and `it was agreed` is what decisions begin with.
            "used" => !matches!(before, "is" | "are" | "be" | "being"),
            "was" | "were" => !matches!(after, "agreed" | "decided" | "settled"),
            word => ABSENT_OR_PAST.contains(&word),
        };
        said || denies(word) || hedges(word)
    };
    words.iter().enumerate().position(open)
}

/// True for a word that makes a choice one that nobody has made.
pub(super) fn hedges(word: &str) -> bool {
    HEDGES.contains(&word)
}
