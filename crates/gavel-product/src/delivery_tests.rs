use super::*;
use gavel_domain::Criterion;

fn spec() -> Spec {
    Spec {
        title: "Bookmarks & Tags".to_owned(),
        purpose: "Keeps \"links\" by tag. More words.".to_owned(),
        in_scope: vec!["add a\nlink".to_owned()],
        later: vec!["sync".to_owned()],
        criteria: vec![Criterion {
            id: "a_link_is_kept".to_owned(),
            statement: "A link is kept.".to_owned(),
            example: String::new(),
        }],
        ..Spec::default()
    }
}

fn run() -> RunId {
    "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap()
}

fn delivered<'a>(spec: &'a Spec, refuted: &'a [String]) -> Delivered<'a> {
    Delivered { spec, refuted }
}

fn tree() -> (tempfile::TempDir, TreeRoot) {
    let folder = tempfile::tempdir().unwrap();
    let root = TreeRoot::open(folder.path()).unwrap();
    (folder, root)
}

#[test]
fn what_is_missing_is_written_and_a_second_time_nothing() {
    let (folder, root) = tree();
    std::fs::write(
        folder.path().join("Cargo.toml"),
        "[package]\nname = \"x\"\n\n[dependencies]\n",
    )
    .unwrap();
    let notes = format!(".gavel/delivery/{}.md", run().short());
    let written = write(&root, delivered(&spec(), &[]), run()).unwrap();
    assert_eq!(written, ["README.md", "Cargo.toml", notes.as_str()]);
    let readme = std::fs::read_to_string(folder.path().join("README.md")).unwrap();
    assert_eq!(
        readme,
        "# Bookmarks & Tags\n\nKeeps \"links\" by tag. More words.\n\n## What it does\n- add a link\n\n\
         ## Later\n- sync\n\n## Tests\n\n```\ncargo test\n```\n"
    );
    let told = std::fs::read_to_string(folder.path().join(&notes)).unwrap();
    assert!(
        told.contains("- `a_link_is_kept`: A link is kept."),
        "{told}"
    );
    assert_eq!(
        write(&root, delivered(&spec(), &[]), run()).unwrap(),
        [""; 0]
    );
}

#[test]
fn what_is_there_is_never_overwritten() {
    let (folder, root) = tree();
    let mine = [
        ("readme.rst", "mine"),
        (
            "package.json",
            r#"{"name":"n","version":"9.9.9","description":"d"}"#,
        ),
        ("Cargo.toml", "[package]\ndescription.workspace = true\n"),
    ];
    for (name, text) in mine {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let written = write(&root, delivered(&spec(), &[]), run()).unwrap();
    assert_eq!(written.len(), 1, "{written:?}");
    for (name, text) in mine {
        let now = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(now, text);
    }
}

#[test]
fn a_package_gets_the_fields_that_it_lacks_and_keeps_its_form() {
    let text = "{\n    \"private\": true,\n    \"name\": \"mine\"\n}\n";
    assert_eq!(
        with_package_fields(text, &spec()).unwrap(),
        "{\n    \"version\": \"0.1.0\",\n    \"description\": \"Keeps \\\"links\\\" by tag\",\n    \
         \"private\": true,\n    \"name\": \"mine\"\n}\n"
    );
    let bare = with_package_fields("{}", &spec()).unwrap();
    let bare: serde_json::Value = serde_json::from_str(&bare).unwrap();
    assert_eq!(bare["name"], "bookmarks-tags");
    let one_line = with_package_fields(r#"{"name":"x"}"#, &spec()).unwrap();
    let one_line: serde_json::Value = serde_json::from_str(&one_line).unwrap();
    assert_eq!(
        (&one_line["name"], &one_line["version"]),
        (&"x".into(), &"0.1.0".into())
    );
    assert_eq!(with_package_fields("[1]", &spec()), None);
    assert_eq!(with_package_fields("{", &spec()), None);
}

#[test]
fn a_crate_gets_a_description_that_is_valid() {
    let text = "[workspace]\n\n[package]\nname = \"x\"\n[dependencies]\ndescription = \"1\"\n";
    let filled = with_crate_fields(text, &spec()).unwrap();
    let read: toml::Table = toml::from_str(&filled).unwrap();
    assert_eq!(
        read["package"]["description"].as_str(),
        Some("Keeps \"links\" by tag")
    );
    assert_eq!(read["package"]["name"].as_str(), Some("x"));
    assert_eq!(
        with_crate_fields("[workspace]\nmembers = []\n", &spec()),
        None
    );
    assert_eq!(with_crate_fields("", &spec()), None);
}

#[test]
fn what_was_refuted_is_named_and_not_taken_for_granted() {
    let (folder, root) = tree();
    let spec = Spec {
        assumptions: vec![
            "Links are short.".to_owned(),
            "One person writes.".to_owned(),
        ],
        ..spec()
    };
    write(&root, delivered(&spec, &[]), run()).unwrap();
    let notes = format!(".gavel/delivery/{}.md", run().short());
    let told = || std::fs::read_to_string(folder.path().join(&notes)).unwrap();
    assert!(
        told().contains("## Taken for granted\n- Links are short.\n"),
        "{}",
        told()
    );
    let refuted = ["links are short".to_owned()];
    let written = write(&root, delivered(&spec, &refuted), run()).unwrap();
    assert_eq!(written, std::slice::from_ref(&notes));
    for part in [
        "## Taken for granted\n- One person writes.\n",
        "## Refuted on the way, and not rested on\n- links are short\n",
    ] {
        assert!(told().contains(part), "{}", told());
    }
    assert_eq!(
        write(&root, delivered(&spec, &refuted), run()).unwrap(),
        [""; 0]
    );
}
