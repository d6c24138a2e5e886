//! Misspellings that are certain: what is written here is no word of English, and only one word can
//! be meant.

/// A misspelling and the word that is meant, in lower case.
const CERTAIN: &[(&str, &str)] = &[
    ("abscence", "absence"),
    ("accomodate", "accommodate"),
    ("accross", "across"),
    ("acheive", "achieve"),
    ("acommodate", "accommodate"),
    ("adn", "and"),
    ("adress", "address"),
    ("agressive", "aggressive"),
    ("allready", "already"),
    ("alltogether", "altogether"),
    ("alot", "a lot"),
    ("apparant", "apparent"),
    ("appearence", "appearance"),
    ("aquire", "acquire"),
    ("arguement", "argument"),
    ("basicly", "basically"),
    ("beautifull", "beautiful"),
    ("becasue", "because"),
    ("becuase", "because"),
    ("beggining", "beginning"),
    ("begining", "beginning"),
    ("beleive", "believe"),
    ("buisness", "business"),
    ("calender", "calendar"),
    ("catagory", "category"),
    ("collegue", "colleague"),
    ("comming", "coming"),
    ("commited", "committed"),
    ("commiting", "committing"),
    ("comparision", "comparison"),
    ("compatability", "compatibility"),
    ("completly", "completely"),
    ("concious", "conscious"),
    ("convienent", "convenient"),
    ("definately", "definitely"),
    ("defintion", "definition"),
    ("dependancy", "dependency"),
    ("developement", "development"),
    ("diffrent", "different"),
    ("disapoint", "disappoint"),
    ("dissapear", "disappear"),
    ("embarass", "embarrass"),
    ("enviroment", "environment"),
    ("excercise", "exercise"),
    ("existance", "existence"),
    ("existant", "existent"),
    ("exmaple", "example"),
    ("explaination", "explanation"),
    ("familar", "familiar"),
    ("finaly", "finally"),
    ("foriegn", "foreign"),
    ("fourty", "forty"),
    ("freind", "friend"),
    ("functionallity", "functionality"),
    ("garantee", "guarantee"),
    ("gaurantee", "guarantee"),
    ("goverment", "government"),
    ("guidline", "guideline"),
    ("happend", "happened"),
    ("harrass", "harass"),
    ("heirarchy", "hierarchy"),
    ("hte", "the"),
    ("immediatelly", "immediately"),
    ("immediatly", "immediately"),
    ("incomming", "incoming"),
    ("independant", "independent"),
    ("infomation", "information"),
    ("initalize", "initialize"),
    ("interupt", "interrupt"),
    ("intial", "initial"),
    ("knowlege", "knowledge"),
    ("langauge", "language"),
    ("lenght", "length"),
    ("libary", "library"),
    ("maintainance", "maintenance"),
    ("maintenence", "maintenance"),
    ("millenium", "millennium"),
    ("mispell", "misspell"),
    ("neccesary", "necessary"),
    ("neccessary", "necessary"),
    ("necessery", "necessary"),
    ("noticable", "noticeable"),
    ("ocassion", "occasion"),
    ("occassion", "occasion"),
    ("occured", "occurred"),
    ("occurence", "occurrence"),
    ("occuring", "occurring"),
    ("oppurtunity", "opportunity"),
    ("paralel", "parallel"),
    ("paramater", "parameter"),
    ("paramter", "parameter"),
    ("parrallel", "parallel"),
    ("peice", "piece"),
    ("perfomance", "performance"),
    ("permision", "permission"),
    ("persistant", "persistent"),
    ("posession", "possession"),
    ("possesion", "possession"),
    ("prefered", "preferred"),
    ("prefering", "preferring"),
    ("privelege", "privilege"),
    ("priviledge", "privilege"),
    ("probaly", "probably"),
    ("proccess", "process"),
    ("pronounciation", "pronunciation"),
    ("publically", "publicly"),
    ("reccomend", "recommend"),
    ("reciept", "receipt"),
    ("recieve", "receive"),
    ("recomend", "recommend"),
    ("refered", "referred"),
    ("refering", "referring"),
    ("refrence", "reference"),
    ("relevent", "relevant"),
    ("remeber", "remember"),
    ("repitition", "repetition"),
    ("resistence", "resistance"),
    ("responsability", "responsibility"),
    ("respository", "repository"),
    ("retreive", "retrieve"),
    ("rythm", "rhythm"),
    ("sentance", "sentence"),
    ("seperate", "separate"),
    ("similiar", "similar"),
    ("strenght", "strength"),
    ("succesful", "successful"),
    ("successfull", "successful"),
    ("sucess", "success"),
    ("sucessful", "successful"),
    ("supress", "suppress"),
    ("suprise", "surprise"),
    ("taht", "that"),
    ("teh", "the"),
    ("thier", "their"),
    ("threshhold", "threshold"),
    ("tommorow", "tomorrow"),
    ("tounge", "tongue"),
    ("transfered", "transferred"),
    ("treshold", "threshold"),
    ("truely", "truly"),
    ("udpate", "update"),
    ("unecessary", "unnecessary"),
    ("unkown", "unknown"),
    ("untill", "until"),
    ("usefull", "useful"),
    ("vaccum", "vacuum"),
    ("varialbe", "variable"),
    ("visable", "visible"),
    ("whitch", "which"),
    ("wich", "which"),
    ("wierd", "weird"),
    ("wiht", "with"),
    ("writting", "writing"),
    ("yeild", "yield"),
];

/// Shorter words are looked for as they are: an ending could make another word of them.
const SHORTEST_STEM: usize = 6;
/// What may follow a word, or take the place of its last `e`.
const ENDINGS: &str = "s es d ed r er rs ers or ors ing ings ion ions ly ment ments able ness al ally \
    ity ize ized izes izing ise ised ises ising";

/// The word that a misspelling stands for, capitals as they were.
pub(super) fn corrected(word: &str) -> Option<String> {
    let lower = word.to_lowercase();
    let meant = whole(&lower).or_else(|| inflected(&lower))?;
    let mut letters = word.chars();
    let first = letters.next()?;
    Some(if word.chars().all(char::is_uppercase) {
        meant.to_uppercase()
    } else if first.is_uppercase() {
        let mut meant = meant.chars();
        let head: String = meant.next()?.to_uppercase().collect();
        head + meant.as_str()
    } else {
        meant
    })
}

fn whole(word: &str) -> Option<String> {
    let (_, meant) = CERTAIN.iter().find(|(wrong, _)| *wrong == word)?;
    Some((*meant).to_owned())
}

/// `recieves`, `recieving`, `dependancies`: a misspelling with an ending. The ending must fit the
/// word that is meant as it fits what is written.
fn inflected(word: &str) -> Option<String> {
    let by_stem = |(wrong, meant): &(&str, &str)| {
        if wrong.len() < SHORTEST_STEM {
            return None;
        }
        let ended = |stem: &str, right: &str| {
            let ending = word.strip_prefix(stem)?;
            let known = ENDINGS.split_whitespace().any(|own| own == ending);
            known.then(|| format!("{right}{ending}"))
        };
        let without = |last: char| wrong.strip_suffix(last).zip(meant.strip_suffix(last));
        ended(wrong, meant)
            .or_else(|| without('e').and_then(|(stem, right)| ended(stem, right)))
            .or_else(|| {
                let (stem, right) = without('y')?;
                (word.strip_prefix(stem)? == "ies").then(|| format!("{right}ies"))
            })
    };
    CERTAIN.iter().find_map(by_stem)
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
