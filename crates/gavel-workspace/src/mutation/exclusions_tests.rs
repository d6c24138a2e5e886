use super::*;

fn read(settings: &str, text: &str) -> Exclusions {
    Exclusions::read(|name| (name == settings).then(|| text.to_owned())).unwrap()
}

fn rule_of(exclusions: &Exclusions, file: &str) -> Option<String> {
    let file = RepoPath::new(file).unwrap();
    exclusions.of_file(&file).map(|found| found.rule)
}

fn some(rule: &str) -> Option<String> {
    Some(rule.to_owned())
}

#[test]
fn without_settings_nothing_is_left_out() {
    let none = Exclusions::read(|_| None).unwrap();
    for file in ["src/lib.rs", "app/core.py", "src/index.ts"] {
        assert_eq!(rule_of(&none, file), None);
    }
}

#[test]
fn globs_of_cargo_mutants_are_about_rust_only() {
    let text = "exclude_globs = [\"src/generated/**\", \"wire_*.rs\"]\n";
    let exclusions = read(".cargo/mutants.toml", text);
    for (file, rule) in [
        ("src/generated/a/b.rs", some("src/generated/**")),
        ("crates/x/src/wire_form.rs", some("**/wire_*.rs")),
        ("src/lib.rs", None),
        ("src/generated/a.py", None),
    ] {
        assert_eq!(rule_of(&exclusions, file), rule, "{file}");
    }
}

#[test]
fn names_and_marks_leave_out_single_places() {
    let file = RepoPath::new("src/lib.rs").unwrap();
    let source = "
struct A;
impl A {
    fn f(&self) -> bool { x() }
    #[mutants::skip]
    fn g(&self) -> bool { x() }
}
impl B { #[mutants::skip] fn new() -> bool { y() } }
";
    let places = find_fault_places(SourceLanguage::Rust, &file, source).unwrap();
    let left_out = |exclusions: &Exclusions| -> Vec<String> {
        let out = places.iter();
        let out = out.filter_map(|place| Some((place, exclusions.of_place(place)?)));
        out.map(|(place, found)| format!("{} {}: {}", place.function, place.after, found.rule))
            .collect()
    };
    let by_name = read(
        ".cargo/mutants.toml",
        "exclude_re = [\"with .* false .* in A::\"]",
    );
    let rule = "with .* false .* in A::";
    assert_eq!(
        left_out(&by_name),
        [
            format!("A::f {{ false }}: {rule}"),
            format!("A::g {{ false }}: {rule}")
        ]
    );
    // A mark counts only in the version that was given for it.
    let mut by_mark = Exclusions::default();
    assert_eq!(left_out(&by_mark), Vec::<String>::new());
    by_mark
        .add_marked(
            &file,
            "impl A { #[mutants::skip] fn g(&self) -> bool { x() } }",
        )
        .unwrap();
    assert_eq!(
        left_out(&by_mark),
        [
            "A::g { true }: #[mutants::skip]",
            "A::g { false }: #[mutants::skip]"
        ]
    );
}

#[test]
fn stryker_says_what_is_inside_and_what_is_not() {
    let text = r#"{"mutate": ["src/**/*.{js,ts}", "!src/vendor/**", "!src/b.js:1-9"]}"#;
    let exclusions = read("stryker.conf.json", text);
    for (file, rule) in [
        ("src/a.js", None),
        ("src/b.js", None),
        ("src/vendor/x.ts", some("src/vendor/**")),
        ("lib/a.js", some("only src/**/*.{js,ts}")),
        ("lib/a.py", None),
    ] {
        assert_eq!(rule_of(&exclusions, file), rule, "{file}");
    }
}

#[test]
fn mutmut_is_read_from_both_of_its_files() {
    let toml = "[tool.mutmut]\npaths_to_mutate = [\"app/\"]\ndo_not_mutate = [\"*/old*\"]\n";
    let section = "[other]\ndo_not_mutate = app/core.py\n[mutmut]\npaths_to_mutate = app/\ndo_not_mutate =\n    */old*\n";
    for exclusions in [read("pyproject.toml", toml), read("setup.cfg", section)] {
        for (file, rule) in [
            ("app/core.py", None),
            ("app/x/older.py", some("*/old*")),
            ("lib/core.py", some("only app, app/**")),
            ("src/lib.rs", None),
        ] {
            assert_eq!(rule_of(&exclusions, file), rule, "{file}");
        }
    }
}

#[test]
fn settings_that_cannot_be_read_are_said() {
    for (settings, text) in [
        (".cargo/mutants.toml", "exclude_re = [\"(\"]"),
        (".cargo/mutants.toml", "exclude_globs = ["),
        ("stryker.conf.json", "{"),
        ("pyproject.toml", "["),
    ] {
        let read = Exclusions::read(|name| (name == settings).then(|| text.to_owned()));
        let message = read.unwrap_err().to_string();
        assert!(message.starts_with(&format!("`{settings}`")), "{message}");
    }
}
