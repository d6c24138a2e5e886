//! Misspellings that are certain: what is written here is no word of English, and only one word can
//! be meant.

/// A misspelling and the word that is meant, in lower case.
const CERTAIN: [(&str, &str); 48] = [
    ("abscence", "absence"),
    ("accomodate", "accommodate"),
    ("acheive", "achieve"),
    ("adress", "address"),
    ("agressive", "aggressive"),
    ("alot", "a lot"),
    ("apparant", "apparent"),
    ("arguement", "argument"),
    ("begining", "beginning"),
    ("beleive", "believe"),
    ("calender", "calendar"),
    ("comming", "coming"),
    ("commited", "committed"),
    ("concious", "conscious"),
    ("definately", "definitely"),
    ("dependancy", "dependency"),
    ("developement", "development"),
    ("dissapear", "disappear"),
    ("enviroment", "environment"),
    ("existance", "existence"),
    ("familar", "familiar"),
    ("finaly", "finally"),
    ("foriegn", "foreign"),
    ("goverment", "government"),
    ("gaurantee", "guarantee"),
    ("happend", "happened"),
    ("immediatly", "immediately"),
    ("independant", "independent"),
    ("intial", "initial"),
    ("langauge", "language"),
    ("lenght", "length"),
    ("libary", "library"),
    ("mispell", "misspell"),
    ("neccessary", "necessary"),
    ("occured", "occurred"),
    ("occurence", "occurrence"),
    ("paramater", "parameter"),
    ("prefered", "preferred"),
    ("recieve", "receive"),
    ("recomend", "recommend"),
    ("refered", "referred"),
    ("seperate", "separate"),
    ("sucessful", "successful"),
    ("teh", "the"),
    ("thier", "their"),
    ("tommorow", "tomorrow"),
    ("untill", "until"),
    ("wich", "which"),
];

/// The word that a misspelling stands for, capitals as they were.
pub(super) fn corrected(word: &str) -> Option<String> {
    let lower = word.to_lowercase();
    let (_, meant) = CERTAIN.iter().find(|(wrong, _)| *wrong == lower)?;
    let mut letters = word.chars();
    let first = letters.next()?;
    Some(if word.chars().all(char::is_uppercase) {
        meant.to_uppercase()
    } else if first.is_uppercase() {
        let mut meant = meant.chars();
        let head: String = meant.next()?.to_uppercase().collect();
        head + meant.as_str()
    } else {
        (*meant).to_owned()
    })
}

/// A line with every certain misspelling corrected.
pub(super) fn corrected_line(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut word = String::new();
    for c in line.chars() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            continue;
        }
        out.push_str(&corrected(&word).unwrap_or_else(|| word.clone()));
        word.clear();
        out.push(c);
    }
    out.push_str(&corrected(&word).unwrap_or(word));
    out
}
