//! What a sentence is about where it names an option: the option itself, or something else that has
//! to do with it, as a talk on it or whoever sells it.
//!
//! Words alone often cannot tell. What they cannot tell counts for nobody.

use super::names::Naming;
use super::passage::{Hit, Passage};
use super::reading::{ARTICLES, AUXILIARIES};

/// What has to do with something and is not it: what is said of a talk on X, or of whoever sells X, is
/// not said of X. Divided by `|`.
const ABOUT_THINGS: &str = "article|articles|book|books|blog|certificate|certification|colleague|\
    community|conference|consultant|consultants|contract|contractor|course|customer|demo|\
    discussion|docs|documentation|event|exam|expert|experts|forum|freelancer|guide|hosting|hotline|\
    invoice|lecture|logo|mail|meeting|meetup|newsletter|offer|phone|podcast|post|presentation|\
    provider|quote|recruiter|reseller|sales|salesman|seller|slide|slides|sticker|supplier|survey|\
    talk|talks|trainer|training|tutorial|vendor|vendors|webinar|website|workshop";
/// What binds such a thing to its subject.
const ABOUT: [&str; 9] = [
    "about",
    "around",
    "behind",
    "by",
    "for",
    "from",
    "of",
    "on",
    "regarding",
];
/// What belongs to something so closely that what is said of it is said of the thing.
const OWN: &str = "adoption|api|backend|backup|backups|broker|build|builds|cache|choice|client|cluster|\
    code|compiler|config|configuration|connection|connections|container|crash|daemon|data|database|\
    databases|deployment|dialect|driver|drivers|edition|engine|error|errors|extension|extensions|\
    failure|failures|feature|features|file|files|index|indexes|install|installation|instance|\
    instances|introduction|job|jobs|latency|library|lock|locks|loss|memory|migration|migrations|\
    module|node|nodes|operation|package|parser|parsers|performance|plugin|plugins|pool|pools|process|\
    processes|queries|query|queue|queues|reads|release|replica|replicas|replication|requests|restore|\
    rows|runtime|schema|sdk|server|servers|service|session|sessions|setup|skip|speed|storage|store|stores|\
    stream|streams|support|table|tables|test|tests|thread|threads|throughput|timeout|timeouts|\
    topic|topics|transaction|transactions|update|updates|upgrade|upgrades|usage|use|version|\
    worker|workers|write|writer|writers|writes";
/// Who or what somebody speaks of, in front of it.
const DETERMINERS: [&str; 11] = [
    "a", "an", "every", "her", "his", "my", "our", "that", "the", "their", "your",
];
/// What says something of a person in front of it.
const WHO: [&str; 3] = ["who", "whom", "whose"];
/// Verbs that stand between something and what it is like: `X became slow`.
const LINKING: &str = "again|alone|also|always|became|both|become|becomes|brought|came|did|does|fell|felt|feels|gave|gets|gives|goes|\
    got|grew|had|has|kept|keeps|let|lets|looks|made|makes|never|once|proved|proves|puts|ran|remains|\
    runs|seems|showed|shows|stays|still|stood|then|took|takes|turns|twice|went|will";
/// Verbs that follow whoever or whatever acts, beside those in `-ed`.
const ACTING: [&str; 12] = [
    "came", "can", "cannot", "could", "gave", "got", "left", "said", "told", "took", "went", "will",
];

fn among(word: &str, list: &str) -> bool {
    list.split('|').any(|other| other == word)
}

impl Passage<'_> {
    /// True where the sentence is about something else, to which the option only belongs.
    pub(super) fn is_in_passing(&self, naming: &Naming, hits: &[Hit]) -> bool {
        self.is_bound(naming, hits) || self.is_part_of_a_name(naming, hits)
    }

    /// `The talk on X`, `the vendor of the X hosting`, `the man who sells X`.
    fn is_bound(&self, naming: &Naming, hits: &[Hit]) -> bool {
        let part = self.part(naming.from);
        let bound = self.before(naming).filter(|at| self.is(*at, &ABOUT));
        let head = bound.and_then(|at| at.checked_sub(1));
        let told = head.is_some_and(|at| among(self.word(at), ABOUT_THINGS));
        let cued = |at: usize| hits.iter().any(|hit| hit.whole.contains(&at));
        // What nobody knows here is a thing of its own where somebody points at it: `the owner of X`.
        let owns = bound.is_some_and(|at| self.is(at, &["of", "behind"]))
            && head.is_some_and(|at| {
                let pointed = at
                    .checked_sub(1)
                    .is_some_and(|at| self.is(at, &DETERMINERS));
                pointed && !cued(at) && !cued(at + 1) && !among(self.word(at), OWN)
            });
        let own = (0..naming.from).filter(|at| self.part(*at) == part);
        let who = own.clone().any(|at| self.is(at, &WHO));
        told || owns || who
    }

    /// `The X workshop`, `X hosting answered late`: the name only says which one.
    fn is_part_of_a_name(&self, naming: &Naming, hits: &[Hit]) -> bool {
        let at = naming.to;
        let word = self.word(at);
        if among(word, ABOUT_THINGS) {
            return true;
        }
        let beside = self.part(at) == self.part(naming.from) && !self.parted(at);
        let cue = |at: usize| hits.iter().any(|hit| hit.whole.contains(&at));
        let plain = word.len() > 2
            && word.is_ascii()
            && !word.ends_with("ed")
            && !word.ends_with("ly")
            && !among(word, OWN)
            && !among(word, LINKING)
            && !self.is(at, &AUXILIARIES)
            && !self.is(at, &ARTICLES)
            && !super::super::telling::is_filling(word);
        if word.is_empty() || !beside || !plain || cue(at) || self.named_at(at) {
            return false;
        }
        let next = at + 1;
        let follows = self.part(next) == self.part(at) && !self.parted(next);
        let acts = self.is(next, &AUXILIARIES) || self.is(next, &ACTING);
        let done = self.word(next).ends_with("ed");
        follows && (acts || done || cue(next) && !word.ends_with('s'))
    }

    fn word(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    /// True where more than a space stands before a word.
    fn parted(&self, at: usize) -> bool {
        let gap = at.checked_sub(1).and_then(|before| {
            let from = self.tokens.get(before)?.at.end;
            self.text.get(from..self.tokens.get(at)?.at.start)
        });
        gap.is_none_or(|gap| !gap.trim().is_empty())
    }
}
