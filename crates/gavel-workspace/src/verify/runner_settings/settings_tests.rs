use gavel_rules::RunnerChoice::{Known, Other};
use gavel_rules::Selected;

use super::*;

/// A tree of plain files; the id of a file is its text.
fn tree(files: &[(&str, &str)]) -> TreeFiles {
    let entries = files.iter().map(|(path, text)| TreeEntry {
        path: (*path).to_owned(),
        mode: if text.starts_with("-> ") {
            "120000"
        } else {
            "100644"
        }
        .to_owned(),
        id: (*text).to_owned(),
    });
    let texts: BTreeMap<_, _> = files
        .iter()
        .map(|(path, text)| {
            let text = text.strip_prefix("-> ").unwrap_or(text);
            ((*path).to_owned(), text.to_owned())
        })
        .collect();
    TreeFiles::new(entries, texts)
}

/// What a tree says: `file: name`, and whose program that chooses.
fn said(files: &[(&str, &str)]) -> Vec<(String, RunnerChoice)> {
    let settings = runner_settings(&tree(files));
    settings
        .into_iter()
        .map(|one| (format!("{}: {}", one.file, one.name), one.chooses))
        .collect()
}

/// A file, what it says, the setting in it, and whose program that chooses.
const CASES: &[(&str, &str, &str, RunnerChoice)] = &[
    (
        "rust-toolchain.toml",
        "[toolchain]\npath = \"tc\"",
        "path",
        Other,
    ),
    (
        "rust-toolchain.toml",
        "[toolchain]\nchannel = \"1.85\"",
        "channel",
        Known,
    ),
    ("rust-toolchain", "mine", "channel", Other),
    (
        "Cargo.toml",
        "[[test]]\nname = \"cli\"\nharness = false",
        "test.cli.harness",
        Other,
    ),
    ("Cargo.toml", "[lib]\nharness = false", "lib.harness", Other),
    (
        ".cargo/config.toml",
        "[build]\nrustc-wrapper = \"x\"",
        "build.rustc-wrapper",
        Other,
    ),
    (
        ".cargo/config",
        "[build]\nrustc = \"x\"",
        "build.rustc",
        Other,
    ),
    (
        "a/.cargo/config.toml",
        "[target.x]\nrunner = [\"x\"]",
        "target.x.runner",
        Other,
    ),
    (
        ".cargo/config.toml",
        "[target.x]\nlinker = \"x\"",
        "target.x.linker",
        Other,
    ),
    (
        ".cargo/config.toml",
        "[build]\nrustflags = [\"-Clinker=x\"]",
        "build.rustflags",
        Other,
    ),
    (
        ".cargo/config.toml",
        "[env]\nPATH = \"x\"",
        "env.PATH",
        Other,
    ),
    (
        ".cargo/config.toml",
        "[alias]\ntest = \"x\"",
        "alias.test",
        Other,
    ),
    (".cargo/config.toml", "include = \"x\"", "include", Other),
    (
        ".cargo/config.toml",
        "[unstable]\nx = true",
        "unstable.x",
        Other,
    ),
    (
        ".cargo/config.toml",
        "[profile.dev]\nrustflags = [\"x\"]",
        "profile.dev.rustflags",
        Other,
    ),
    (
        ".cargo/config.toml",
        "[source.x]\ndirectory = \"x\"",
        "source.x.directory",
        Other,
    ),
    (".cargo/config.toml", "not toml", "its content", Other),
    (
        "package.json",
        r#"{"scripts": {"test": "node tap.js"}}"#,
        "scripts.test",
        Other,
    ),
    (
        "package.json",
        r#"{"scripts": {"test": "node --test"}}"#,
        "scripts.test",
        Known,
    ),
    (
        "package.json",
        r#"{"scripts": {"test": "vitest run --coverage"}}"#,
        "scripts.test",
        Known,
    ),
    (
        "package.json",
        r#"{"scripts": {"test": "node --test || true"}}"#,
        "scripts.test",
        Other,
    ),
    (
        "package.json",
        r#"{"scripts": {"test": "node --test --import ./x.js"}}"#,
        "scripts.test",
        Other,
    ),
    (
        "package.json",
        r#"{"scripts": {"test": "jest --config=x.js"}}"#,
        "scripts.test",
        Other,
    ),
    (
        "package.json",
        r#"{"scripts": {"test": "mocha --reporter ../x"}}"#,
        "scripts.test",
        Other,
    ),
    (
        "packages/a/package.json",
        r#"{"scripts": {"test": "node tap.js"}}"#,
        "scripts.test",
        Other,
    ),
    (
        "package.json",
        r#"{"scripts": {"pretest": "node x"}}"#,
        "scripts.pretest",
        Other,
    ),
    (
        "package.json",
        r#"{"devDependencies": {"vitest": "file:./x"}}"#,
        "devDependencies.vitest",
        Other,
    ),
    (
        "package.json",
        r#"{"overrides": {"jest": "npm:x"}}"#,
        "overrides",
        Other,
    ),
    (
        "a/package.json",
        r#"{"name": "vitest"}"#,
        "the name of a runner",
        Other,
    ),
    (
        "package-lock.json",
        r#"{"packages": {"node_modules/vitest": {"link": true, "resolved": "x"}}}"#,
        "a runner from the tree",
        Other,
    ),
    (".npmrc", "script-shell=./x", "script-shell", Other),
    (".yarnrc.yml", "yarnPath: x.cjs", "yarnPath", Other),
    (
        "vitest.config.ts",
        "reporters: ['./x']",
        "what it loads",
        Other,
    ),
    (
        "packages/a/vitest.config.ts",
        "globalSetup: './x'",
        "what it loads",
        Other,
    ),
    (
        "vite.config.ts",
        "test: { reporters: ['./x'] }",
        "what it loads",
        Other,
    ),
    (
        "package.json",
        r#"{"jest": {"testRunner": "./x", "runner": "./y"}}"#,
        "jest",
        Other,
    ),
    (
        "a/package.json",
        r#"{"mocha": {"require": "./x"}}"#,
        "mocha",
        Other,
    ),
    (
        "pnpm-workspace.yaml",
        "packages:\n  - a\noverrides:\n  vitest: link:./x",
        "overrides",
        Other,
    ),
    (
        "pnpm-workspace.yaml",
        "\"scriptShell\": ./x",
        "scriptShell",
        Other,
    ),
    (
        "pnpm-workspace.yaml",
        "catalog:\n  vitest: file:./x",
        "catalog",
        Other,
    ),
    (
        "pom.xml",
        "<plugin><groupId>org.codehaus.mojo</groupId></plugin>",
        "plugins and settings of its tests",
        Other,
    ),
    (
        "a/pom.xml",
        "<testFailureIgnore>true</testFailureIgnore>",
        "plugins and settings of its tests",
        Other,
    ),
    (
        "pom.xml",
        "<plugin><artifactId>maven-surefire-plugin</artifactId><dependencies>x</dependencies></plugin>",
        "plugins and settings of its tests",
        Other,
    ),
    (
        "pyproject.toml",
        "[project.entry-points.pytest11]\nx = \"x\"",
        "project.entry-points.pytest11",
        Other,
    ),
    (
        "pyproject.toml",
        "[tool.poetry.plugins.pytest11]\nx = \"x\"",
        "tool.poetry.plugins.pytest11",
        Other,
    ),
    (
        "setup.cfg",
        "[options.entry_points]\npytest11 =\n  x = x",
        "plugins of pytest",
        Other,
    ),
    (
        "setup.py",
        "setup(entry_points={'pytest11': ['x = x']})",
        "plugins of pytest",
        Other,
    ),
    (
        "x.egg-info/entry_points.txt",
        "[pytest11]\nx = x",
        "plugins of pytest",
        Other,
    ),
    ("pytest.ini", "[pytest]\naddopts = -p x", "addopts", Other),
    (
        "pytest.ini",
        "[pytest]\naddopts = -q --tb=short",
        "addopts",
        Known,
    ),
    (
        "setup.cfg",
        "[tool:pytest]\naddopts =\n  -p x",
        "addopts",
        Other,
    ),
    (
        "pyproject.toml",
        "[tool.pytest.ini_options]\naddopts = \"-p x\"",
        "addopts",
        Other,
    ),
    (
        "a/conftest.py",
        "def pytest_runtest_makereport(item): ...",
        "its hooks",
        Other,
    ),
    ("src/sitecustomize.py", "", "its content", Other),
    ("Makefile", "test:\n\techo ok", "its targets", Other),
    ("GNUmakefile", "check:\n\techo ok", "its targets", Other),
    (
        "gavel.toml",
        "[verify]\ntest = [\"./x\"]",
        "[verify]",
        Other,
    ),
];

#[test]
fn what_chooses_the_runner_is_recognised() {
    for (file, text, name, chooses) in CASES {
        let wanted = (format!("{file}: {name}"), *chooses);
        assert_eq!(said(&[(file, text)]), [wanted], "{file}: {text}");
    }
    for path in [
        "mvnw",
        ".mvn/jvm.config",
        "pytest.py",
        "unittest/__init__.py",
        "node_modules/.bin/jest",
    ] {
        assert_eq!(said(&[(path, "x")]).len(), 1, "{path}");
    }
}

#[test]
fn what_chooses_nothing_is_not_named() {
    for (file, text) in [
        (
            ".cargo/config.toml",
            "[build]\njobs = 2\n[net]\nretry = 1\n[profile.dev]\ndebug = 0",
        ),
        (
            "package.json",
            r#"{"scripts": {"start": "node x"}, "devDependencies": {"vitest": "^3"}}"#,
        ),
        (
            "package-lock.json",
            r#"{"packages": {"node_modules/vitest": {"resolved": "https://x/y"}}}"#,
        ),
        (".npmrc", "registry=https://x"),
        (
            "vitest.config.ts",
            "export default { test: { globals: true } }",
        ),
        (
            "vite.config.ts",
            "export default { plugins: [x()], define: process.env }",
        ),
        ("package.json", r#"{"jest": {"preset": "ts-jest"}}"#),
        (
            "pnpm-workspace.yaml",
            "# all\npackages:\n  - 'packages/*'\ncatalog:\n  vitest: ^3",
        ),
        (
            "pom.xml",
            "<plugin><artifactId>maven-surefire-plugin</artifactId></plugin>",
        ),
        (
            "pyproject.toml",
            "[project.entry-points.console]\nx = \"x\"",
        ),
        ("setup.py", "setup(name='x')"),
        ("docs/jasmine.md", "a runner with a reporter"),
        ("pytest.ini", "[pytest]\nmarkers = slow\ntestpaths = tests"),
        ("setup.cfg", "[metadata]\naddopts = -p x"),
        (
            "conftest.py",
            "import pytest\n@pytest.fixture\ndef a(): ...",
        ),
        ("Makefile", "build:\n\tcc x.c"),
        ("gavel.toml", "[project]\nid = \"x\""),
        ("src/pytest.rs", ""),
    ] {
        assert_eq!(said(&[(file, text)]), [], "{file}: {text}");
    }
}

#[test]
fn scripts_and_files_that_a_script_starts_count_with_it() {
    let manifest =
        r#"{"scripts": {"test": "npm run unit && sh ./run.sh", "unit": "node a.js", "lint": "x"}}"#;
    let mut names: Vec<String> = said(&[
        ("package.json", manifest),
        ("a.js", "1"),
        ("run.sh", "2"),
        ("b.js", "3"),
    ])
    .into_iter()
    .map(|(name, _)| name)
    .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "a.js: what the tests are started with",
            "package.json: scripts.test",
            "package.json: scripts.unit",
            "run.sh: what the tests are started with",
        ]
    );
}

#[test]
fn a_symlink_counts_with_what_it_leads_to() {
    let exact = |config: &str| {
        let files = [(".cargo", "-> conf"), ("conf/config.toml", config)];
        let settings = runner_settings(&tree(&files));
        assert_eq!(settings.len(), 1, "{settings:?}");
        settings[0].exact
    };
    assert_eq!(exact("a"), exact("a"));
    assert_ne!(exact("a"), exact("b"));
}

#[test]
fn the_runner_of_the_base_is_put_back_and_the_rest_stays() {
    let base = tree(&[(
        "package.json",
        r#"{"scripts": {"test": "node --test"}, "dependencies": {"a": "1"}}"#,
    )]);
    let now = tree(&[
        (
            "package.json",
            r#"{"scripts": {"test": "node tap.js"}, "dependencies": {"a": "2"}}"#,
        ),
        (".cargo/config.toml", "[build]\nrustc = \"x\""),
    ]);
    let wanted = [
        ("package.json", "scripts.test"),
        (".cargo/config.toml", "build.rustc"),
    ];
    let changes = restored(&base, &now, &wanted);
    let written = changes.iter().find_map(|change| {
        let crate::EntryChange::Write { content, .. } = change else {
            return None;
        };
        Some(serde_json::from_slice::<serde_json::Value>(content).unwrap())
    });
    assert_eq!(
        written.unwrap(),
        serde_json::json!({"scripts": {"test": "node --test"}, "dependencies": {"a": "2"}})
    );
    let path = ".cargo/config.toml".to_owned();
    assert!(
        changes.contains(&crate::EntryChange::Remove { path }),
        "{changes:?}"
    );
}

#[test]
fn what_another_reader_would_pass_over_is_seen() {
    for (file, text, name) in [
        (".npmrc", "'script-shell'=./x.sh", "script-shell"),
        (".npmrc", "audit=false\rscript-shell=./x.sh", "script-shell"),
        (".npmrc", "workspace=packages/a", "workspace"),
        (
            ".cargo/config.toml",
            "[build]\ntarget-dir = \"zz\"",
            "build.target-dir",
        ),
        ("target/debug/.fingerprint/a/dep", "x", "built files"),
        ("pkg/__pycache__/a.cpython-311.pyc", "x", "its content"),
    ] {
        let settings = runner_settings(&tree(&[(file, text)]));
        assert!(
            settings.iter().any(|one| one.name == name),
            "{file}: {settings:?}"
        );
    }
    assert_eq!(
        said(&[(".npmrc", "registry=https://a.example/\n# x\nfund=false")]),
        []
    );
    let make = [
        ("Makefile", "-include local.mk\ntest:\n\tpytest\n"),
        ("local.mk", "X=1"),
    ];
    assert!(said(&make).contains(&("local.mk: what make includes".to_owned(), Other)));
}

#[test]
fn a_file_that_is_too_large_to_be_read_counts_as_a_whole() {
    let unread = TreeEntry {
        path: ".cargo/config.toml".to_owned(),
        mode: "100644".to_owned(),
        id: "large".to_owned(),
    };
    let settings = runner_settings(&TreeFiles::new([unread], BTreeMap::new()));
    let found: Vec<_> = settings
        .iter()
        .map(|one| (one.file.as_str(), one.chooses))
        .collect();
    assert_eq!(found, [(".cargo/config.toml", Other)]);
}

#[test]
fn a_harness_that_came_with_the_work_goes_and_one_from_before_comes_back() {
    let own = "[package]\nname = \"x\"\n\n[[test]]\nharness = false\nname = \"cli\"\n";
    let usual = "[package]\nname = \"x\"\n\n[[test]]\nname = \"cli\"\n";
    let bench = "[[bench]]\nname = \"speed\"\nharness = false\n";
    assert_eq!(said(&[("Cargo.toml", bench)]), []);
    for (before, after) in [(usual, own), (own, usual)] {
        let (base, now) = (
            tree(&[("Cargo.toml", before)]),
            tree(&[("Cargo.toml", after)]),
        );
        let changes = restored(&base, &now, &[("Cargo.toml", "test.cli.harness")]);
        let expected = crate::EntryChange::Write {
            path: "Cargo.toml".to_owned(),
            content: before.as_bytes().to_vec(),
        };
        assert_eq!(changes, [expected]);
    }
}

#[test]
fn where_make_computes_what_it_includes_every_fragment_counts() {
    let named = |makefile: &str| {
        let files = [
            ("Makefile", makefile),
            ("mk/a.mk", "1"),
            ("mk/Makefile.local", "2"),
            ("src/main.c", "3"),
        ];
        let names = said(&files).into_iter().map(|(name, _)| name);
        names
            .filter_map(|name| name.strip_suffix(": what make includes").map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let all = ["mk/Makefile.local", "mk/a.mk"];
    for include in [
        "include $(wildcard mk/*)",
        "-include mk/*.mk",
        "include \\\n  $(PARTS)",
        "$(eval $(shell cat mk/a.mk))",
    ] {
        assert_eq!(
            named(&format!("{include}\ntest:\n\ttrue")),
            all,
            "{include}"
        );
    }
    assert_eq!(named("include mk/a.mk\ntest:\n\ttrue"), ["mk/a.mk"]);
    assert_eq!(named("test:\n\ttrue"), [] as [&str; 0]);
}

#[test]
fn plugins_of_the_base_are_put_back_into_a_project_that_keeps_the_rest() {
    let base = tree(&[("pyproject.toml", "[project]\nname = \"a\"")]);
    let text = "[project]\nname = \"b\"\n[project.entry-points.pytest11]\nx = \"x\"\n";
    let now = tree(&[("pyproject.toml", text)]);
    let wanted = [("pyproject.toml", "project.entry-points.pytest11")];
    let changes = restored(&base, &now, &wanted);
    let [crate::EntryChange::Write { content, .. }] = changes.as_slice() else {
        panic!("{changes:?}");
    };
    let written: toml::Table = std::str::from_utf8(content).unwrap().parse().unwrap();
    assert_eq!(written["project"]["name"].as_str(), Some("b"));
    assert_eq!(written["project"]["entry-points"].get("pytest11"), None);
}

#[test]
fn what_a_known_runner_asks_for_is_read_from_its_script() {
    let below =
        |paths: &[&str]| Selected::Below(paths.iter().map(|path| (*path).to_owned()).collect());
    for (script, wanted) in [
        ("node --test", Selected::All),
        ("vitest run --coverage", Selected::All),
        ("node --test test/a.test.js", below(&["test/a.test.js"])),
        (
            "node --test './test/*.js' b.js",
            below(&["b.js", "test/*.js"]),
        ),
        ("npx jest unit", below(&["unit"])),
        ("tsc && vitest", Selected::All),
    ] {
        let text = format!(r#"{{"scripts": {{"test": "{script}"}}}}"#);
        let found = runner_settings(&tree(&[("package.json", &text)]));
        let script = found.iter().find(|one| one.name == "scripts.test");
        assert_eq!(script.unwrap().selects, wanted, "{text}");
    }
}

#[test]
fn a_test_script_says_whether_one_test_can_be_run_alone() {
    use gavel_rules::RunnerReach::{Each, Whole};
    let reach = |files: &[(&str, &str)]| {
        let all = runner_settings(&tree(files)).into_iter();
        let mut all = all.filter(|one| one.name == "scripts.test");
        all.next().map(|one| one.reach)
    };
    let script = |text: &str| format!("{{\"scripts\": {{\"test\": \"{text}\"}}}}");
    for (text, expected) in [
        ("node --test", Each),
        ("tsc && vitest run", Each),
        ("mocha", Whole),
        ("bun test", Whole),
    ] {
        assert_eq!(
            reach(&[("package.json", &script(text))]),
            Some(expected),
            "{text}"
        );
    }
    let tests = ("test/shop.test.js", "");
    assert_eq!(reach(&[("package.json", "{}"), tests]), Some(Each));
    let bun = ("bun.lock", "");
    assert_eq!(reach(&[("package.json", "{}"), bun, tests]), Some(Whole));
    assert_eq!(reach(&[("package.json", "{}")]), None);
    assert_eq!(reach(&[tests]), None);
}
