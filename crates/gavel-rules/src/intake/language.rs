//! The language of a prompt, by its letters and its most common words.
//!
//! Good enough to know whether rules that were written for English can read a prompt; a prompt
//! that could be English is taken for English.

use serde::{Deserialize, Serialize};

use super::prompt::{Prompt, is_mark};

/// A language, by its ISO 639 code. A script that many languages share stands for the one that is
/// most often written in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    /// English.
    En,
    /// Arabic.
    Ar,
    /// German.
    De,
    /// Greek.
    El,
    /// Spanish.
    Es,
    /// French.
    Fr,
    /// Hebrew.
    He,
    /// Hindi.
    Hi,
    /// Italian.
    It,
    /// Japanese.
    Ja,
    /// Korean.
    Ko,
    /// Portuguese.
    Pt,
    /// Russian.
    Ru,
    /// Thai.
    Th,
    /// Ukrainian.
    Uk,
    /// Vietnamese.
    Vi,
    /// Chinese.
    Zh,
    /// Another language.
    Und,
    /// No language: there are no letters.
    Zxx,
}

/// Words that are common in English briefs.
const ENGLISH: &str = "a an the to of in on for and with from by is are it this that my our your \
    we i when so as at into add fix remove rename delete update build create make write implement \
    use app tool service site user users page button test tests file bug error todo manager \
    tracker list search login new should";

/// Common words of other languages that are no English ones.
const FOREIGN: [(Language, &str); 6] = [
    (
        Language::De,
        "der das ein eine einen einer und mit für fuer ist nicht zu auf von erstelle baue füge \
         behebe schreibe hinzu ich wir den dem bitte",
    ),
    (
        Language::Fr,
        "le la les un une des du et avec pour dans est sur je nous ajoute ajouter corrige corriger \
         crée créer écris supprime aux qui",
    ),
    (
        Language::Es,
        "el la los las un una con para del que crea crear corrige corregir añade añadir \
         agrega agregar escribe aplicación página botón quiero por",
    ),
    (
        Language::Pt,
        "uma um para que não cria criar corrige corrigir adiciona adicionar escreve \
         aplicação página botão quero meu minha ao",
    ),
    (
        Language::It,
        "il gli un una con che della del nella crea creare correggi aggiungi aggiungere \
         scrivi applicazione pagina voglio di alla",
    ),
    // Vietnamese as it is typed without its marks.
    (
        Language::Vi,
        "sua loi khong cua toi tao mot trang ung dung nguoi duoc trong vao",
    ),
];

impl Language {
    /// The ISO 639 code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::Ar => "ar",
            Self::De => "de",
            Self::El => "el",
            Self::Es => "es",
            Self::Fr => "fr",
            Self::He => "he",
            Self::Hi => "hi",
            Self::It => "it",
            Self::Ja => "ja",
            Self::Ko => "ko",
            Self::Pt => "pt",
            Self::Ru => "ru",
            Self::Th => "th",
            Self::Uk => "uk",
            Self::Vi => "vi",
            Self::Zh => "zh",
            Self::Und => "und",
            Self::Zxx => "zxx",
        }
    }

    /// True when rules for English do not fit.
    pub const fn is_foreign(self) -> bool {
        !matches!(self, Self::En | Self::Zxx)
    }
}

pub(super) fn detect(prompt: &Prompt<'_>) -> Language {
    let letters = prompt.text().chars().filter(|c| c.is_alphabetic()).count();
    if letters == 0 {
        return Language::Zxx;
    }
    if let Some(language) = by_script(prompt.text(), letters) {
        return language;
    }
    let english = votes(prompt, ENGLISH);
    let marked = prompt.words().filter(|word| is_vietnamese(word)).count();
    let mut best = (Language::Und, 0);
    for (language, common) in FOREIGN {
        let own = if language == Language::Vi { marked } else { 0 };
        let votes = own + votes(prompt, common);
        if votes > best.1 {
            best = (language, votes);
        }
    }
    let (language, votes) = best;
    // One word alone may be a name or a loan, unless it is spelled with letters of its own.
    let spelled = prompt
        .words()
        .filter(|word| has_foreign_letter(word))
        .count();
    if votes > english && (votes >= 2 || spelled > 0) {
        language
    } else if english == 0 && spelled * 2 > prompt.words().count() {
        Language::Und
    } else {
        Language::En
    }
}

/// How many words of a prompt are on a list.
fn votes(prompt: &Prompt<'_>, common: &str) -> usize {
    let common = common.split_ascii_whitespace();
    common.map(|word| prompt.count_word(word)).sum()
}

/// The language of the script, when a third of the letters are not Latin: file names and terms
/// stay Latin in every language.
fn by_script(text: &str, letters: usize) -> Option<Language> {
    let mut counts: [(Language, usize); 11] = [
        (Language::Ja, 0),
        (Language::Ko, 0),
        (Language::Zh, 0),
        (Language::Uk, 0),
        (Language::Ru, 0),
        (Language::Ar, 0),
        (Language::He, 0),
        (Language::Hi, 0),
        (Language::Th, 0),
        (Language::El, 0),
        (Language::Und, 0),
    ];
    for language in text.chars().filter_map(script) {
        let counted = counts.iter_mut().find(|(known, _)| *known == language);
        if let Some((_, count)) = counted {
            *count += 1;
        }
    }
    let strange: usize = counts.iter().map(|(_, count)| count).sum();
    if strange.saturating_mul(3) < letters {
        return None;
    }
    // Kana among Han is Japanese, and a letter that only Ukrainian has makes Cyrillic Ukrainian.
    let present = |language| {
        counts
            .iter()
            .any(|(known, count)| *known == language && *count > 0)
    };
    let most = counts.iter().max_by_key(|(_, count)| *count)?.0;
    if most == Language::Zh && present(Language::Ja) {
        Some(Language::Ja)
    } else if most == Language::Ru && present(Language::Uk) {
        Some(Language::Uk)
    } else {
        Some(most)
    }
}

/// The language that a letter outside the Latin script stands for.
fn script(c: char) -> Option<Language> {
    match c {
        'і' | 'ї' | 'є' | 'ґ' | 'І' | 'Ї' | 'Є' | 'Ґ' => Some(Language::Uk),
        '\u{400}'..='\u{52f}' => Some(Language::Ru),
        '\u{370}'..='\u{3ff}' => Some(Language::El),
        '\u{590}'..='\u{5ff}' => Some(Language::He),
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => Some(Language::Ar),
        '\u{900}'..='\u{97f}' => Some(Language::Hi),
        '\u{e00}'..='\u{e7f}' => Some(Language::Th),
        '\u{3040}'..='\u{30ff}' => Some(Language::Ja),
        '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}' => Some(Language::Ko),
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{20000}'..='\u{3ffff}' => {
            Some(Language::Zh)
        }
        _ if c.is_alphabetic() && !is_latin(c) => Some(Language::Und),
        _ => None,
    }
}

/// Latin with its extensions, and the wide forms of CJK texts.
const fn is_latin(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{24f}' | '\u{250}'..='\u{2ff}' | '\u{1e00}'..='\u{1eff}' | '\u{2c60}'..='\u{2c7f}'
            | '\u{a720}'..='\u{a7ff}' | '\u{fb00}'..='\u{fb06}' | '\u{ff21}'..='\u{ff5a}'
    )
}

/// Letters and marks that no other language in Latin script combines this way.
fn is_vietnamese(word: &str) -> bool {
    word.chars().any(|c| {
        matches!(
            c,
            'ă' | 'đ' | 'ơ' | 'ư' | '\u{1ea0}'..='\u{1ef9}' | '\u{309}' | '\u{31b}' | '\u{323}'
        )
    })
}

/// True for a word with a letter or a mark that English has not.
fn has_foreign_letter(word: &str) -> bool {
    word.chars()
        .any(|c| !c.is_ascii() && (c.is_alphabetic() || is_mark(c)))
}
