use proptest::prelude::*;

use super::*;

/// A brief of 122 characters for an internal tool, as the reference vector has one.
const BRIEF: &str = "build an internal tool where a team records which laptops are lent \
                     out, to whom, until when, and exports them as csv lists";

/// The vectors of the reference: prompt, missing, complexity, size, gray areas.
const GOLDEN: [(&str, &str, &str, &str, &str); 11] = [
    (
        "todo app",
        "target,scope,intent",
        "low(0)",
        "small(-2)",
        "scope,target,format,convention",
    ),
    (
        "build a chat platform",
        "target,scope,intent",
        "medium(3)",
        "small(-2)",
        "scope,target,format,convention",
    ),
    (
        "fix typo in README.md",
        "",
        "low(-2)",
        "small(-3)",
        "scope,target,convention,depth",
    ),
    (
        "rename getUser in src/a.ts",
        "",
        "low(-2)",
        "small(-3)",
        "target,convention,depth,audience",
    ),
    (
        "auth",
        "target,intent",
        "low(0)",
        "small(-2)",
        "scope,target,format,convention",
    ),
    (
        "add a retry to the login endpoint",
        "",
        "low(0)",
        "small(-2)",
        "scope,target,format,convention",
    ),
    (
        "migrate the billing service to a multi-tenant microservice architecture",
        "target,scope",
        "medium(4)",
        "medium(0)",
        "scope,format,convention,depth",
    ),
    (
        "improve test coverage",
        "target",
        "low(0)",
        "large(3.5)",
        "scope,target,format,convention",
    ),
    (
        BRIEF,
        "target",
        "low(1)",
        "medium(0)",
        "scope,target,convention,depth",
    ),
    (
        "update deps",
        "",
        "low(0)",
        "small(-2)",
        "scope,target,format,convention",
    ),
    (
        "refactor src/a.ts src/b.ts and src/c.ts to share one http client",
        "",
        "high(6)",
        "medium(2)",
        "scope,target,convention,depth",
    ),
];

fn missing(intake: &Intake) -> String {
    let words: Vec<_> = intake.missing.iter().map(|gap| gap.word()).collect();
    words.join(",")
}

fn reasons(intake: &Intake) -> String {
    let words: Vec<_> = intake.reasons.iter().map(|reason| reason.word()).collect();
    words.join(",")
}

#[test]
fn the_vectors_of_the_reference() {
    assert_eq!(BRIEF.len(), 122);
    for (prompt, missing_, complexity, size, gray_areas) in GOLDEN {
        let intake = score_intake(prompt);
        let areas: Vec<_> = intake.gray_areas.iter().map(|area| area.word()).collect();
        let seen = (
            missing(&intake),
            format!(
                "{}({})",
                intake.complexity.label.word(),
                intake.complexity.score
            ),
            format!("{}({})", intake.size.label.word(), intake.size.score),
            areas.join(","),
        );
        let expected = (
            missing_.to_owned(),
            complexity.to_owned(),
            size.to_owned(),
            gray_areas.to_owned(),
        );
        assert_eq!(seen, expected, "{prompt}");
        assert_eq!(intake.sufficient, intake.missing.is_empty(), "{prompt}");
        assert!(intake.scored, "{prompt}");
        assert_eq!(intake.language, Language::En, "{prompt}");
    }
}

#[test]
fn routes_and_their_reasons() {
    let table = [
        ("todo app", Route::Council, "vague"),
        (
            "build a chat platform",
            Route::Council,
            "new_product,medium_complexity",
        ),
        (BRIEF, Route::Council, "new_product"),
        (
            "fix typo in README.md",
            Route::HotPath,
            "sufficient,low_complexity",
        ),
        ("update deps", Route::HotPath, "sufficient,low_complexity"),
        (
            "refactor src/a.ts src/b.ts and src/c.ts to share one http client",
            Route::Council,
            "high_complexity",
        ),
        ("", Route::Council, "vague"),
        ("12345 !!", Route::Council, "vague"),
    ];
    for (prompt, route, why) in table {
        let intake = score_intake(prompt);
        assert_eq!(
            (intake.route, reasons(&intake)),
            (route, why.to_owned()),
            "{prompt}"
        );
    }
}

#[test]
fn circumstances_change_the_scores() {
    let scored = |circumstances| score_intake_in("build a chat platform", &circumstances);
    let plain = Circumstances::default();
    assert_eq!(scored(plain).complexity.score, 3);
    let one_sprint = Circumstances {
        max_sprints: Some(1),
        principles: 4,
        ..plain
    };
    assert_eq!(scored(one_sprint).complexity.score, 0);
    let debug = Circumstances {
        task: Some(Task::Debug),
        ..plain
    };
    assert_eq!(scored(debug).complexity.score, 4);
    let forced = Circumstances {
        council: CouncilWish::Forced,
        ..plain
    };
    let intake = score_intake_in("update deps", &forced);
    assert_eq!(
        (intake.route, reasons(&intake)),
        (Route::Council, "force_council".to_owned())
    );
}

#[test]
fn a_change_needs_something_to_change() {
    let typo = "fix typo in README.md";
    let table: [(&str, &[&str], Ground); 9] = [
        (typo, &[], Ground::Bare),
        (typo, &["LICENSE", ".gitignore", "gavel.toml"], Ground::Bare),
        (typo, &["readme.md"], Ground::Project),
        (typo, &["docs/README.md"], Ground::Project),
        (typo, &["AREADME.md"], Ground::Project),
        ("fix typo in x.md", &["README.md"], Ground::Bare),
        ("fix ./src/a.ts", &["src/a.ts"], Ground::Project),
        ("update deps", &[".gavel/memory/a.jsonl"], Ground::Bare),
        ("update deps", &["Cargo.toml"], Ground::Project),
    ];
    for (prompt, files, ground) in table {
        assert_eq!(
            ground_of(prompt, files.iter().copied()),
            ground,
            "{prompt} {files:?}"
        );
    }
    let on = |prompt: &str, ground| {
        let known = Circumstances {
            ground,
            ..Circumstances::default()
        };
        let intake = score_intake_in(prompt, &known);
        (intake.route, reasons(&intake))
    };
    let nothing = (Route::Council, "nothing_to_change".to_owned());
    assert_eq!(on(typo, Ground::Bare), nothing);
    let hot = (Route::HotPath, "sufficient,low_complexity".to_owned());
    assert_eq!(on(typo, Ground::Project), hot);
    assert_eq!(on(typo, Ground::Unknown), hot);
    let vague = (Route::Council, "vague".to_owned());
    assert_eq!(on("todo app", Ground::Bare), vague, "said once is enough");
}

#[test]
fn huge_prompts_are_scored_in_one_pass() {
    for piece in [
        "for the ",
        "in src/",
        "a.ts",
        "multi-tenant ",
        "build a ",
        "\u{0}\u{7}",
        "İ\u{323}",
        "sửa ",
    ] {
        let huge = piece.repeat(400_000 / piece.len());
        let intake = score_intake(&huge);
        assert_eq!(intake.sufficient, intake.missing.is_empty(), "{piece:?}");
        assert!(intake.complexity.score >= 0, "{piece:?} is long");
    }
}

#[test]
fn a_stack_trace_is_no_long_prompt() {
    let frames = "    at handle (server.ts:10:3)\n".repeat(20);
    let prompt = format!("fix the crash on start\n{frames}");
    let debug = Circumstances {
        task: Some(Task::Debug),
        ..Circumstances::default()
    };
    let plain = score_intake(&prompt).size.score;
    assert_eq!(plain, HalfPoints::whole(1), "long, one file");
    let hunted = score_intake_in(&prompt, &debug).size.score;
    assert_eq!(hunted, HalfPoints::whole(-3), "short, one file");
}

#[test]
fn vietnamese_with_a_file_takes_the_hot_path() {
    let intake = score_intake("sửa lỗi chính tả trong README.md");
    assert_eq!(intake.language, Language::Vi);
    assert!(intake.scored && intake.sufficient);
    assert_eq!(intake.route, Route::HotPath);
}

#[test]
fn vietnamese_without_a_handle_is_not_called_vague() {
    let prompt = "thêm nút đăng xuất vào trang cài đặt";
    let intake = score_intake(prompt);
    assert_eq!(intake.language, Language::Vi);
    assert_eq!(missing(&intake), "target", "by the letter");
    assert_eq!(
        (intake.scored, intake.route, reasons(&intake)),
        (false, Route::Council, "language_not_scored".to_owned())
    );
    let clear = Circumstances {
        clarity: Some(Clarity::Clear),
        ..Circumstances::default()
    };
    let vouched = score_intake_in(prompt, &clear);
    assert_eq!(
        (vouched.route, reasons(&vouched)),
        (Route::HotPath, "model_says_clear,low_complexity".to_owned())
    );
    let vague = score_intake_in("todo app", &clear);
    assert_eq!(
        vague.route,
        Route::Council,
        "a model vouches for foreign languages alone"
    );
}

#[test]
fn languages_by_letters_and_words() {
    let table = [
        ("add a search for Phở restaurants", "en"),
        ("a café finder", "en"),
        ("Kubernetes operator", "en"),
        ("un-retire items", "en"),
        ("auth per tenant", "en"),
        ("OS metrics over a com port", "en"),
        ("Los Angeles transit map", "en"),
        ("Pokémon cards", "en"),
        ("sửa lỗi", "vi"),
        ("sua loi chinh ta", "vi"),
        ("su\u{31b}\u{309}a lo\u{302}\u{303}i", "vi"),
        ("baue eine kleine Anwendung mit Suche", "de"),
        ("créer une application pour les notes", "fr"),
        ("añade un botón para salir", "es"),
        ("criar uma página com gráficos", "pt"),
        ("aggiungi un pulsante per uscire", "it"),
        ("修复 README.md 中的拼写错误", "zh"),
        ("ログアウトボタンを追加する", "ja"),
        ("設定画面にボタンを追加", "ja"),
        ("로그아웃 버튼 추가", "ko"),
        ("добавь кнопку выхода", "ru"),
        ("додай кнопку виходу із системи", "uk"),
        ("أضف زر تسجيل الخروج", "ar"),
        ("გამარჯობა", "und"),
        ("Überweisungsübersicht", "und"),
        ("", "zxx"),
        ("42 ?", "zxx"),
    ];
    for (prompt, language) in table {
        assert_eq!(score_intake(prompt).language.code(), language, "{prompt}");
    }
}

#[test]
fn something_new_is_a_verb_of_making_with_an_object() {
    let new = [
        "build a bookmark manager with tags",
        "please create me a small blog engine",
        "Implement OAuth login",
        "I want to make an app for recipes",
        "write parsers",
    ];
    for prompt in new {
        assert!(score_intake(prompt).greenfield, "{prompt}");
    }
    let old = [
        "todo app",
        "fix the build script",
        "make it faster",
        "make sure that tests pass",
        "the build fails on main",
        "build",
        "we write. tests fail",
        "rebuild the index",
    ];
    for prompt in old {
        assert!(!score_intake(prompt).greenfield, "{prompt}");
    }
}

#[test]
fn words_are_whole_and_files_are_counted_by_token() {
    let score = |prompt: &str| score_intake(prompt).complexity.score;
    assert_eq!(missing(&score_intake("latest addition")), "target,intent");
    assert_eq!(score("a Microservices thing"), 3);
    assert_eq!(score("see src/a.ts, src/b.TSX; lib\\c.py."), 2);
    assert_eq!(score("see a.tsv and x.gone"), 0);
    assert_eq!(score("ends with main.rs."), 1);
    assert_eq!(score("fix   typo"), -3);
    assert_eq!(score("fix, typo"), 0);
    assert_eq!(score("multi tenant"), 0);
    assert_eq!(missing(&score_intake("sửa src/ứng_dụng.rs")), "");
}

#[test]
fn a_letter_and_its_marks_are_one_character() {
    // 28 letters with a mark each: below the limit of 30 in both forms.
    let decomposed = "e\u{301}".repeat(28);
    let composed = "é".repeat(28);
    assert_eq!(missing(&score_intake(&decomposed)), "target,intent");
    assert_eq!(
        missing(&score_intake(&decomposed)),
        missing(&score_intake(&composed))
    );
    assert_eq!(missing(&score_intake(&"é".repeat(30))), "target");
}

#[test]
fn the_form_that_scripts_read() {
    let text = serde_json::to_string(&score_intake("improve test coverage")).unwrap();
    insta::assert_snapshot!(text, @r#"{"sufficient":false,"missing":["target"],"complexity":{"label":"low","score":0},"size":{"label":"large","score":3.5},"route":"council","reasons":["vague"],"gray_areas":["scope","target","format","convention"],"language":"en","greenfield":false,"scored":true}"#);
    let text = serde_json::to_string(&score_intake("fix typo in README.md")).unwrap();
    insta::assert_snapshot!(text, @r#"{"sufficient":true,"missing":[],"complexity":{"label":"low","score":-2},"size":{"label":"small","score":-3},"route":"hot_path","reasons":["sufficient","low_complexity"],"gray_areas":["scope","target","convention","depth"],"language":"en","greenfield":false,"scored":true}"#);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn any_text_is_scored_the_same_way_twice(text in prompts()) {
        let first = score_intake(&text);
        prop_assert_eq!(&score_intake(&text), &first);
        prop_assert_eq!(first.sufficient, first.missing.is_empty());
        prop_assert!(!first.reasons.is_empty());
        prop_assert!(first.gray_areas.len() <= 4);
        let hot = first.route == Route::HotPath;
        let clear = first.sufficient && first.complexity.label == ComplexityLabel::Low;
        prop_assert!(!hot || clear, "the hot path is for clear and simple prompts");
        let stored = serde_json::to_string(&first).unwrap();
        prop_assert_eq!(serde_json::from_str::<Intake>(&stored).unwrap(), first);
    }
}

/// Any text, and texts made of what the rules look for.
fn prompts() -> impl Strategy<Value = String> {
    let pieces = [
        "fix",
        " ",
        "typo",
        "\n",
        "-",
        "multi",
        "tenant",
        "src/a.ts",
        ".md",
        "..",
        "/",
        "build a",
        "for",
        "the",
        "users",
        "sửa",
        "\u{323}",
        "修复",
        "?",
        "in",
        "lib",
        "all",
        "İ",
        "ß",
        "🦀",
        "comment only",
    ];
    let made = proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..40);
    let control = proptest::collection::vec(any::<char>(), 0..600);
    let control = control.prop_map(|chars| chars.into_iter().collect::<String>());
    prop_oneof![
        ".{0,200}",
        control,
        "[\\x00-\\x1f ]{0,50}",
        made.prop_map(|pieces| pieces.concat())
    ]
}
