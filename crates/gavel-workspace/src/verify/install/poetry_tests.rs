use super::*;

const MANIFEST: &str = r#"
[tool.poetry]
name = "demo"
[tool.poetry.dependencies]
python = "^3.9"
six = "^1.16"
requests = { version = "^2", extras = ["socks"] }
later = { version = "1", optional = true }
[tool.poetry.group.dev.dependencies]
pytest = "*"
[tool.poetry.group.docs]
optional = true
[tool.poetry.group.docs.dependencies]
sphinx = "*"
[dependency-groups]
lint = ["ruff>=0.1"]
"#;

#[test]
fn the_manifest_gives_names_and_the_lock_versions() {
    let manifest = MANIFEST.parse::<Table>().unwrap();
    let expected = ["requests[socks]", "six", "pytest", "ruff>=0.1"];
    assert_eq!(names(&manifest), expected);
    assert!(is_package(&manifest));
    let lock = "[[package]]\nname = \"six\"\nversion = \"1.16.0\"\n\
        [[package]]\nname = \"numpy\"\nversion = \"1.0\"\n[[package]]\nname = \"numpy\"\nversion = \"2.0\"\n\
        [[package]]\nname = \"own\"\nversion = \"1\"\n[package.source]\ntype = \"git\"\nurl = \"https://git.example\"\n";
    assert_eq!(versions(lock), ["six==1.16.0"]);
    let virtual_project = "[tool.poetry]\npackage-mode = false\n"
        .parse::<Table>()
        .unwrap();
    assert!(!is_package(&virtual_project));
}
