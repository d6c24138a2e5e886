use std::os::unix::fs::symlink;

use super::*;

const NPM_LOCKED: Recipe = Recipe::Npm {
    install: NpmInstall::Locked,
};

fn detected(files: &[(&str, &str)]) -> Vec<Recipe> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let real = folder.path().canonicalize().unwrap();
    detect_recipes(&TreeRoot::open(&real).unwrap())
}

#[test]
fn recipes_follow_from_the_files_at_the_root() {
    let npm = |install| vec![Recipe::Npm { install }];
    let node_test = |install| vec![Recipe::NodeTest { install }];
    let pytest = |install| vec![Recipe::Pytest { install }];
    let with_script = r#"{"scripts":{"test":"vitest run"},"devDependencies":{"vitest":"2"}}"#;
    let placeholder = r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#;
    for (files, expected) in [
        (vec![], vec![]),
        (vec![("README.md", "pytest")], vec![]),
        (
            vec![("Cargo.toml", "")],
            vec![Recipe::Cargo { locked: false }],
        ),
        (
            vec![("Cargo.toml", ""), ("Cargo.lock", "")],
            vec![Recipe::Cargo { locked: true }],
        ),
        (vec![("sub/Cargo.toml", "")], vec![]),
        (
            vec![("package.json", with_script), ("package-lock.json", "{}")],
            npm(NpmInstall::Locked),
        ),
        (vec![("package.json", with_script)], npm(NpmInstall::Ranges)),
        (
            vec![("package.json", placeholder)],
            node_test(NpmInstall::Nothing),
        ),
        (vec![("package.json", "{}")], node_test(NpmInstall::Nothing)),
        (
            vec![("package.json", "not json")],
            node_test(NpmInstall::Nothing),
        ),
        (
            vec![("pyproject.toml", "[project]\n[tool.pytest.ini_options]")],
            pytest(PipInstall::Project),
        ),
        (vec![("setup.py", "")], pytest(PipInstall::Project)),
        (
            vec![("requirements.txt", "flask\n")],
            pytest(PipInstall::Requirements),
        ),
        (vec![("conftest.py", "")], pytest(PipInstall::Runner)),
        (vec![("test_a.py", "")], vec![Recipe::Unittest]),
        (vec![("tests/test_a.py", "")], vec![Recipe::Unittest]),
        (vec![("a.py", "")], vec![]),
        (
            vec![
                ("Cargo.toml", ""),
                ("package.json", with_script),
                ("package-lock.json", "{}"),
                ("test_a.py", ""),
            ],
            vec![
                Recipe::Cargo { locked: false },
                NPM_LOCKED,
                Recipe::Unittest,
            ],
        ),
    ] {
        assert_eq!(detected(&files), expected, "{files:?}");
    }
}

#[test]
fn a_manifest_that_is_a_link_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    fs::write(real.join("outside.toml"), "").unwrap();
    let tree = real.join("tree");
    fs::create_dir(&tree).unwrap();
    symlink("../outside.toml", tree.join("Cargo.toml")).unwrap();
    assert_eq!(detect_recipes(&TreeRoot::open(&tree).unwrap()), []);
}
