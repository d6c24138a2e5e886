use super::*;

#[test]
fn words_without_common_ones_and_endings() {
    assert_eq!(
        terms("The retries of HTTP clients must back off: src/http_client.rs"),
        [
            "retry",
            "http",
            "client",
            "back",
            "off",
            "src",
            "http_client",
            "http",
            "client",
            "rs"
        ]
    );
    assert_eq!(terms("class status"), ["class", "status"]);
    assert_eq!(terms("a _ 1 !"), Vec::<String>::new());
    assert_eq!(terms(&"x".repeat(49)), Vec::<String>::new());
}

#[test]
fn forms_of_a_word_are_one_term() {
    for (term, forms) in [
        ("retry", "retry retries retried retrying"),
        ("cach", "cache caches cached caching"),
        ("stop", "stop stops stopped stopping"),
        ("process", "process processes processed processing"),
        ("fail", "fail fails failed failing"),
        ("releas", "release releases released releasing"),
        ("match", "match matches matched matching"),
        ("string", "string strings"),
        ("speed", "speed speeds"),
        ("need", "need needs needed"),
    ] {
        for form in forms.split(' ') {
            assert_eq!(terms(form), [term], "{form}");
        }
    }
}

#[test]
fn names_of_programs_give_their_parts() {
    assert_eq!(terms("HttpClient"), ["httpclient", "http", "client"]);
    assert_eq!(
        terms("maxRetryCount"),
        ["maxretrycount", "max", "retry", "count"]
    );
    assert_eq!(terms("__init__"), ["init"]);
    assert_eq!(terms("JSON"), ["json"]);
}

#[test]
fn names_are_found_with_and_without_their_endings() {
    assert_eq!(
        terms("PostgreSQL"),
        ["postgresql", "postgr", "postgr", "sql"]
    );
    assert_eq!(terms("postgresql"), ["postgresql", "postgr"]);
    assert_eq!(terms("postgres"), ["postgr"]);
    assert_eq!(
        terms("sqlite3 mongodb"),
        ["sqlite3", "sqlit", "mongodb", "mongo"]
    );
    // No names: too short, or no letters.
    assert_eq!(terms("sql ab12 0198c1d2"), ["sql", "ab12", "0198c1d2"]);
    // A capital that stands alone is a name, and no word.
    assert_eq!(
        terms("A C parser, I said; step c"),
        ["c", "parser", "said", "step"]
    );
}

#[test]
fn a_word_of_a_query_is_one_however_it_is_spelled() {
    let all = |text: &str| {
        let mut all = Vec::new();
        word_terms(text, |word| all.push((word.spellings, word.parts)));
        all
    };
    let owned = |words: &[&str]| {
        words
            .iter()
            .map(|word| (*word).to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        all("PG for the HttpClient"),
        [
            (owned(&["pg", "postgresql", "postgr", "psql"]), Vec::new()),
            (owned(&["httpclient"]), owned(&["http", "client"])),
        ]
    );
    assert_eq!(all("lỗi").len(), 2);
    assert!(all("the of - _").is_empty());
}

#[test]
fn accents_are_found_with_and_without() {
    assert_eq!(
        terms("sửa lỗi của tôi"),
        ["sua", "sửa", "loi", "lỗi", "toi", "tôi"]
    );
    assert_eq!(terms("café"), ["cafe", "café"]);
    // The same letters, put together otherwise.
    assert_eq!(terms("cafe\u{301}"), ["cafe", "café"]);
    assert_eq!(terms("Größe"), ["gross", "größe"]);
    assert_eq!(terms("ＡＢＣ"), ["abc"]);
}

#[test]
fn scripts_without_spaces_give_pairs_and_signs_stay_with_their_letters() {
    assert_eq!(terms("拼写错误x"), ["拼写", "写错", "错误"]);
    assert_eq!(terms("ガ"), ["ガ"]);
    assert_eq!(terms("ฟ้า"), ["ฟ้", "้า"]);
    assert_eq!(terms("हिन्दी"), ["हिन्दी"]);
    assert_eq!(terms("한국어"), ["한국어"]);
}

#[test]
fn a_path_is_one_term_beside_its_words() {
    assert_eq!(path_term("src/HTTP-client.rs"), "p__src_http_client_rs");
}
