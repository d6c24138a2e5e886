use gavel_rules::work::{LockedPackage, SettingValue, SettingsRead};

use super::{lock_files, settings};

fn setting(path: &str, text: &str, key: &str) -> Option<SettingValue> {
    match settings::read(path, text) {
        SettingsRead::Keys(keys) => keys
            .into_iter()
            .find(|one| one.key == key)
            .map(|one| one.value),
        SettingsRead::Opaque => None,
    }
}

#[test]
fn settings_are_read_key_by_key() {
    let one = |text: &str| Some(SettingValue::One(text.to_owned()));
    let list = |parts: &[&str]| {
        let parts = parts.iter().map(|&part| part.to_owned());
        Some(SettingValue::List(parts.collect()))
    };
    for (path, text, key, value) in [
        (
            "Cargo.toml",
            "[lints.clippy]\ntodo = \"deny\"",
            "lints.clippy.todo",
            one("deny"),
        ),
        (
            "Cargo.toml",
            "[lints.clippy]\nall = { level = \"deny\", priority = -1 }",
            "lints.clippy.all",
            one("deny"),
        ),
        (
            ".eslintrc.json",
            "{\"rules\": {\"eqeqeq\": [\"error\", \"smart\"]}}",
            "rules.eqeqeq",
            one("error"),
        ),
        (
            ".eslintrc.json",
            "{\"rules\": {\"eqeqeq\": [2, \"smart\"]}}",
            "rules.eqeqeq.options",
            one("smart"),
        ),
        (
            "pyproject.toml",
            "[tool.ruff.lint]\nselect = [\"E\", \"F\"]",
            "tool.ruff.lint.select",
            list(&["E", "F"]),
        ),
        (
            "setup.cfg",
            "# x\n[flake8]\nmax-line-length = 88\n",
            "flake8.max-line-length",
            one("88"),
        ),
        (
            "setup.cfg",
            "[flake8]\nignore =\n    E501,\n    W503\n",
            "flake8.ignore",
            list(&["E501", "W503"]),
        ),
        (
            "package.json",
            "{\"jest\": {\"coverageThreshold\": {\"global\": {\"lines\": 80}}}}",
            "jest.coverageThreshold.global.lines",
            one("80"),
        ),
    ] {
        assert_eq!(setting(path, text, key), value, "{path}: {key}");
    }
    for (path, text) in [
        ("eslint.config.js", "export default []"),
        ("Cargo.toml", "[broken"),
        (".eslintrc.json", "{"),
    ] {
        assert_eq!(settings::read(path, text), SettingsRead::Opaque, "{path}");
    }
}

fn package(name: &str, version: &str, source: &str, integrity: &str) -> LockedPackage {
    LockedPackage {
        name: name.to_owned(),
        version: version.to_owned(),
        source: source.to_owned(),
        integrity: integrity.to_owned(),
    }
}

#[test]
fn packages_of_lock_files_are_read() {
    for (path, text, wanted) in [
        (
            "Cargo.lock",
            "version = 4\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nsource = \"registry+https://github.com/rust-lang/crates.io-index\"\nchecksum = \"ab\"\n[[package]]\nname = \"own\"\nversion = \"0.1.0\"\n",
            vec![
                package(
                    "a",
                    "1.0.0",
                    "registry+https://github.com/rust-lang/crates.io-index",
                    "ab",
                ),
                package("own", "0.1.0", "", ""),
            ],
        ),
        (
            "package-lock.json",
            "{\"packages\": {\"\": {\"name\": \"x\"}, \"node_modules/a\": {\"version\": \"1.0.0\", \"resolved\": \"https://registry.npmjs.org/a\", \"integrity\": \"sha512-x\"}, \"node_modules/b\": {\"resolved\": \"packages/b\", \"link\": true}}}",
            vec![
                package(
                    "node_modules/a",
                    "1.0.0",
                    "https://registry.npmjs.org/a",
                    "sha512-x",
                ),
                package("node_modules/b", "", "link:packages/b", ""),
            ],
        ),
        (
            "yarn.lock",
            "# yarn lockfile v1\n\"@s/a@^1.0.0\", \"@s/a@~1.0\":\n  version \"1.0.0\"\n  resolved \"https://registry.yarnpkg.com/a#hash\"\n  integrity sha512-x\n",
            vec![package(
                "@s/a",
                "1.0.0",
                "https://registry.yarnpkg.com/a",
                "sha512-x",
            )],
        ),
        (
            "yarn.lock",
            "__metadata:\n  version: 8\n\"a@npm:^1.0.0\":\n  version: 1.0.0\n  resolution: \"a@npm:1.0.0\"\n  checksum: 10/ab\n\"b@https://evil.example/b.tgz\":\n  version: 1.0.0\n  resolution: \"b@https://evil.example/b.tgz\"\n",
            vec![
                package("a", "1.0.0", "https://registry.yarnpkg.com/", "10/ab"),
                package("b", "1.0.0", "https://evil.example/b.tgz", ""),
            ],
        ),
        (
            "pnpm-lock.yaml",
            "lockfileVersion: '9.0'\npackages:\n  '@s/a@1.0.0':\n    resolution: {integrity: sha512-x}\n  b@1.0.0:\n    resolution: {integrity: sha512-y, tarball: https://evil.example/b.tgz}\nsnapshots:\n  c@1.0.0: {}\n",
            vec![
                package("@s/a", "1.0.0", "https://registry.npmjs.org/", "sha512-x"),
                package("b", "1.0.0", "https://evil.example/b.tgz", "sha512-y"),
            ],
        ),
    ] {
        assert_eq!(lock_files::read(path, text), wanted, "{path}");
    }
}

#[test]
fn packages_of_python_and_go_are_read() {
    for (path, text, wanted) in [
        (
            "uv.lock",
            "[[package]]\nname = \"own\"\nversion = \"0.1\"\nsource = { virtual = \".\" }\n[[package]]\nname = \"a\"\nversion = \"1\"\nsource = { registry = \"https://pypi.org/simple\" }\n[[package]]\nname = \"b\"\nversion = \"1\"\nsource = { git = \"https://x.example/b\" }\n",
            vec![
                package("own", "0.1", "", ""),
                package("a", "1", "https://pypi.org/simple", ""),
                package("b", "1", "git+https://x.example/b", ""),
            ],
        ),
        (
            "poetry.lock",
            "[[package]]\nname = \"a\"\nversion = \"1\"\n[package.source]\ntype = \"git\"\nurl = \"https://x.example/a\"\n",
            vec![package("a", "1", "git+https://x.example/a", "")],
        ),
        (
            "go.sum",
            "example.org/a v1.0.0 h1:ab=\nexample.org/a v1.0.0/go.mod h1:cd=\n",
            vec![
                package("example.org/a", "v1.0.0", "", "h1:ab="),
                package("example.org/a", "v1.0.0/go.mod", "", "h1:cd="),
            ],
        ),
    ] {
        assert_eq!(lock_files::read(path, text), wanted, "{path}");
    }
    assert_eq!(lock_files::read("Cargo.lock", "[[package"), []);
}
