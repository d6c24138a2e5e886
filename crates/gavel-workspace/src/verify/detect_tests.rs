use std::fs;
use std::os::unix::fs::symlink;

use super::super::found::{FileLimit, FileList, RecipeFound, find_recipe, recipe_of};
use super::*;
use crate::{Argv, RepoDir, TreeName, TreeRoot};

fn found(files: &[(&str, &str)]) -> RecipeFound {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let real = folder.path().canonicalize().unwrap();
    let on_disk = found_on_disk(&TreeRoot::open(&real).unwrap());
    // The same from a mere list, as for a commit that is not checked out.
    let names = list(files, FileList::MOST);
    let read = |name: &str| {
        let mut texts = files.iter().filter(|(file, _)| *file == name);
        texts.next().map(|(_, text)| (*text).to_owned())
    };
    assert_eq!(recipe_of(&names, read), on_disk, "{files:?}");
    on_disk
}

fn found_on_disk(tree: &TreeRoot) -> RecipeFound {
    let walked = tree.walk(&RepoDir::ROOT, 1000).unwrap();
    find_recipe(tree, &walked.into())
}

fn list(files: &[(&str, &str)], most: usize) -> FileList {
    let names = files
        .iter()
        .map(|(name, _)| TreeName::Path(name.parse().unwrap()));
    FileList::first_of(names, most)
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[Recipe]) {
    let expected = match expected {
        [] => RecipeFound::None,
        _ => RecipeFound::Found(Recipes {
            tests: expected.to_vec(),
            ..Recipes::default()
        }),
    };
    assert_eq!(found(files), expected, "{files:?}");
}

#[track_caller]
fn no_tests(files: &[(&str, &str)]) {
    assert_eq!(found(files), RecipeFound::NoTests, "{files:?}");
}

const fn script(manager: NodeManager, install: NodeInstall) -> Recipe {
    Recipe::NodeScript {
        manager,
        install,
        runner: ScriptRunner::Unknown,
    }
}

const MOCHA: &str = r#"{"scripts":{"test":"mocha"},"devDependencies":{"mocha":"2"}}"#;
const PLACEHOLDER: &str = r#"{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}"#;

#[test]
fn a_rust_project_is_tested_by_cargo() {
    check(&[], &[]);
    check(&[("README.md", "pytest")], &[]);
    check(&[("Cargo.toml", "")], &[Recipe::Cargo { locked: false }]);
    check(
        &[("Cargo.toml", ""), ("Cargo.lock", "")],
        &[Recipe::Cargo { locked: true }],
    );
    check(&[("sub/Cargo.toml", "")], &[]);
}

#[test]
fn a_node_project_is_tested_by_its_script() {
    use NodeInstall::{Locked, Ranges};
    use NodeManager::{Bun, Npm, Pnpm, Yarn};
    check(&[("package.json", MOCHA)], &[script(Npm, Ranges)]);
    for (lock, manager) in [
        ("package-lock.json", Npm),
        ("pnpm-lock.yaml", Pnpm),
        ("yarn.lock", Yarn),
        ("bun.lock", Bun),
        ("bun.lockb", Bun),
    ] {
        let files = [("package.json", MOCHA), (lock, "{}")];
        check(&files, &[script(manager, Locked)]);
    }
    // The most particular lock file wins, then what the manifest names.
    let both = [
        ("package.json", MOCHA),
        ("yarn.lock", ""),
        ("pnpm-lock.yaml", ""),
    ];
    check(&both, &[script(Pnpm, Locked)]);
    let named = MOCHA.replace(
        "{\"scripts\"",
        "{\"packageManager\":\"yarn@4.1.0\",\"scripts\"",
    );
    check(&[("package.json", &named)], &[script(Yarn, Ranges)]);
}

#[test]
fn without_a_script_files_of_tests_are_needed() {
    let bare = Recipe::NodeTest {
        manager: NodeManager::Npm,
        install: NodeInstall::Nothing,
    };
    for manifest in [PLACEHOLDER, "{}", "not json"] {
        no_tests(&[("package.json", manifest)]);
        no_tests(&[("package.json", manifest), ("src/contest.js", "")]);
        // Another runner's, which would have to be named.
        no_tests(&[("package.json", manifest), ("src/a.spec.js", "")]);
        no_tests(&[("package.json", manifest), ("node_modules/a/a.test.js", "")]);
        for test in ["a.test.js", "src/a.test.mjs", "test/a.js", "test-a.cjs"] {
            check(
                &[("package.json", manifest), (test, "")],
                std::slice::from_ref(&bare),
            );
        }
    }
}

#[test]
fn bun_goes_by_its_own_names() {
    let bun = Recipe::NodeTest {
        manager: NodeManager::Bun,
        install: NodeInstall::Nothing,
    };
    let own = [("package.json", "{}"), ("bun.lock", "")];
    check(
        &[own[0], own[1], ("src/a.spec.ts", "")],
        std::slice::from_ref(&bun),
    );
    no_tests(&[own[0], own[1], ("test/a.js", "")]);
}

#[test]
fn a_script_says_its_runner_when_it_is_plain() {
    use ScriptRunner::{Jest, Unknown, Vitest};
    for (script, expected) in [
        ("jest", Jest),
        ("jest --coverage", Jest),
        ("tsc && jest", Jest),
        ("NODE_OPTIONS=--experimental-vm-modules npx jest --ci", Jest),
        (
            "node --experimental-vm-modules node_modules/.bin/jest",
            Jest,
        ),
        ("cross-env A=b jest", Jest),
        ("vitest run", Vitest),
        ("vitest", Vitest),
        ("vitest run --reporter=json", Unknown),
        ("vitest run --reporter dot", Unknown),
        ("jest && eslint .", Unknown),
        ("jest-cli-thing", Unknown),
        ("react-scripts test", Unknown),
        ("", Unknown),
    ] {
        assert_eq!(ScriptRunner::of_script(script), expected, "{script}");
    }
}

#[test]
fn a_python_project_is_tested_in_an_environment_that_fits() {
    let pytest = |install| [Recipe::Pytest { install }];
    let test = ("tests/test_a.py", "");
    let pyproject = |text| [("pyproject.toml", text), test];
    check(
        &[("pyproject.toml", "[project]\n[tool.pytest.ini_options]")],
        &pytest(PythonInstall::Project),
    );
    check(&pyproject("[project]"), &pytest(PythonInstall::Project));
    check(&[("setup.py", ""), test], &pytest(PythonInstall::Project));
    let listed = [("requirements.txt", "flask\n"), test];
    check(&listed, &pytest(PythonInstall::Requirements));
    check(&[("conftest.py", "")], &pytest(PythonInstall::Runner));
    for (text, has_runner) in [("name = \"pytest\"", true), ("name = \"flask\"", false)] {
        let uv = [("pyproject.toml", "[project]"), ("uv.lock", text), test];
        check(&uv, &pytest(PythonInstall::Uv { has_runner }));
        let poetry = [("pyproject.toml", ""), ("poetry.lock", text), test];
        check(&poetry, &pytest(PythonInstall::Poetry { has_runner }));
    }
    let install = PythonInstall::Requirements;
    let django = [("manage.py", ""), ("requirements.txt", "django\n")];
    check(&django, &[Recipe::Django { install }]);
    no_tests(&[("setup.py", "")]);
    no_tests(&[("requirements.txt", "flask\n"), ("app.py", "")]);
}

#[test]
fn python_alone_is_tested_where_its_tests_are() {
    let unittest = |folder| [Recipe::Unittest { folder }];
    check(&[("test_a.py", "")], &unittest(TestFolder::Root));
    check(&[("tests/test_a.py", "")], &unittest(TestFolder::Tests));
    check(&[("test/test_a.py", "")], &unittest(TestFolder::Test));
    let package = [("tests/test_a.py", ""), ("tests/__init__.py", "")];
    check(&package, &unittest(TestFolder::Root));
    check(&[("a.py", "")], &[]);
    check(&[("deep/down/test_a.py", "")], &[]);
}

#[test]
fn the_other_platforms_are_known_by_their_manifests() {
    check(&[("go.mod", ""), ("a/b_test.go", "")], &[Recipe::Go]);
    no_tests(&[("go.mod", ""), ("a.go", "")]);
    let pom = [("pom.xml", ""), ("src/test/java/AppTest.java", "")];
    check(&pom, &[Recipe::Maven { wrapper: false }]);
    let own = [pom[0], pom[1], ("mvnw", "")];
    check(&own, &[Recipe::Maven { wrapper: true }]);
    no_tests(&[("pom.xml", "")]);
    let tests = "<PackageReference Include=\"Microsoft.NET.Test.Sdk\" />";
    let projects = [
        ("a.sln", ""),
        ("a/a.csproj", ""),
        ("tests/a/t.csproj", tests),
    ];
    check(&projects, &[Recipe::Dotnet]);
    no_tests(&projects[..2]);
    check(&[("far/away/from/t.csproj", tests)], &[]);
}

#[test]
fn a_makefile_is_asked_last() {
    let makefile = "check:\n\ttrue\ntest: build\n\ttrue\n";
    check(
        &[("Makefile", makefile)],
        &[Recipe::Make { target: "test" }],
    );
    check(
        &[("Makefile", "check :\n")],
        &[Recipe::Make { target: "check" }],
    );
    check(&[("Makefile", "tests:\ntest := a\n\ttest:\n")], &[]);
    let cargo = [Recipe::Cargo { locked: false }];
    check(&[("Makefile", makefile), ("Cargo.toml", "")], &cargo);
    // A project without tests of its own kind.
    let files = [("Makefile", makefile), ("package.json", "{}")];
    check(&files, &[Recipe::Make { target: "test" }]);
}

#[test]
fn languages_stand_beside_each_other() {
    let files = [
        ("Cargo.toml", ""),
        ("package.json", MOCHA),
        ("package-lock.json", "{}"),
        ("test_a.py", ""),
    ];
    let folder = TestFolder::Root;
    let expected = [
        Recipe::Cargo { locked: false },
        script(NodeManager::Npm, NodeInstall::Locked),
        Recipe::Unittest { folder },
    ];
    check(&files, &expected);
}

fn smoke_of(files: &[(&str, &str)]) -> Vec<Smoke> {
    match found(files) {
        RecipeFound::Found(recipes) => recipes.smoke,
        other @ (RecipeFound::None
        | RecipeFound::NoTests
        | RecipeFound::Unseen(_)
        | RecipeFound::Unusable(_)) => {
            panic!("{other:?}")
        }
    }
}

#[test]
fn a_script_named_smoke_is_the_projects_own_word() {
    let cli = |words: &[&str]| Smoke::Cli {
        argv: Argv::new(words.iter().copied()).unwrap(),
        exit: 0,
        expect: None,
    };
    let manifest = r#"{"scripts":{"test":"mocha","smoke":"node . --help"}}"#;
    let npm = [("package.json", manifest)];
    assert_eq!(smoke_of(&npm), [cli(&["npm", "run", "smoke"])]);
    let make = [("Cargo.toml", ""), ("Makefile", "smoke:\n\ttrue\n")];
    assert_eq!(smoke_of(&make), [cli(&["make", "smoke"])]);
    // A program is not tried out because it is there.
    let plain = [("Cargo.toml", "[[bin]]"), ("src/main.rs", "")];
    assert_eq!(smoke_of(&plain), []);
}

#[test]
fn what_a_person_names_comes_first() {
    let own = "[verify]\ninstall = [[\"make\", \"deps\"]]\ntest = [\"./check\", \"a b\"]\n\
               [[verify.smoke]]\nstart = [\"./serve\", \"{port}\"]\n";
    let files = [
        ("gavel.toml", own),
        ("Cargo.toml", ""),
        ("Makefile", "smoke:\n"),
    ];
    let RecipeFound::Found(recipes) = found(&files) else {
        panic!("it was named");
    };
    let install = vec![Argv::new(["make", "deps"]).unwrap()];
    let test = Argv::new(["./check", "a b"]).unwrap();
    assert_eq!(recipes.tests, [Recipe::Own { install, test }]);
    let Smoke::Http { path, status, .. } = &recipes.smoke[0] else {
        panic!("it listens");
    };
    assert_eq!((recipes.smoke.len(), path.as_str(), *status), (1, "/", 200));
    // Nothing else need be there, and a smoke run alone is no test.
    assert!(matches!(found(&files[..1]), RecipeFound::Found(_)));
    let smoke = "[[verify.smoke]]\ncommand = [\"true\"]\n";
    assert_eq!(found(&[("gavel.toml", smoke)]), RecipeFound::None);
    let broken = found(&[("gavel.toml", "[verify]\ntests = 1\n"), ("Cargo.toml", "")]);
    assert_eq!(broken.missing(), Some("recipe_unusable"));
    assert!(
        broken.told().contains("unknown field `tests`"),
        "{}",
        broken.told()
    );
}

#[test]
fn what_is_missing_has_a_code_and_a_remedy() {
    assert_eq!(RecipeFound::None.missing(), Some("no_recipe"));
    assert_eq!(RecipeFound::NoTests.missing(), Some("no_test_commands"));
    for missing in [RecipeFound::None, RecipeFound::NoTests] {
        assert!(missing.told().contains("[verify] test ="), "{missing:?}");
        // For models, which cannot write that file.
        assert!(!missing.lacks().contains("gavel.toml"), "{missing:?}");
    }
    let found = RecipeFound::Found(Recipes::default());
    assert_eq!((found.missing(), found.told().as_str()), (None, ""));
}

#[test]
fn a_manifest_that_is_a_link_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let real = folder.path().canonicalize().unwrap();
    fs::write(real.join("outside.toml"), "").unwrap();
    let tree = real.join("tree");
    fs::create_dir(&tree).unwrap();
    symlink("../outside.toml", tree.join("Cargo.toml")).unwrap();
    let found = found_on_disk(&TreeRoot::open(&tree).unwrap());
    assert_eq!(found, RecipeFound::None);
}

#[test]
fn a_search_that_stopped_says_so_and_never_that_there_are_no_tests() {
    let files = [("a.py", ""), ("b.py", ""), ("test_c.py", "")];
    let limit = FileLimit {
        looked_at: 2,
        left_out: 1,
    };
    let nothing = |_: &str| None;
    let stopped = recipe_of(&list(&files, 2), nothing);
    assert_eq!(stopped, RecipeFound::Unseen(limit));
    assert_eq!(stopped.missing(), Some("search_stopped"));
    assert_eq!(
        stopped.lacks(),
        "Whether there are tests is not known: the search for tests stopped at 2 files; 1 more \
         were not looked at."
    );
    assert!(stopped.told().contains("[verify] test ="));
    // A project without a test among the first files is no different.
    let project = |name: &str| (name == "package.json").then(|| "{}".to_owned());
    assert_eq!(
        recipe_of(&list(&files, 2), project),
        RecipeFound::Unseen(limit)
    );
    // What was found carries it too, unless a person named the tests.
    let cargo = |name: &str| (name == "Cargo.toml").then(String::new);
    let RecipeFound::Found(found) = recipe_of(&list(&files, 2), cargo) else {
        panic!("there is a manifest");
    };
    assert_eq!((found.tests.len(), found.limit), (1, Some(limit)));
    let own = |name: &str| (name == "gavel.toml").then(|| "[verify]\ntest = [\"t\"]\n".to_owned());
    let RecipeFound::Found(found) = recipe_of(&list(&files, 2), own) else {
        panic!("a person named it");
    };
    assert_eq!(found.limit, None);
    // The twin: with room for every file the tests are found, and nothing is said of a limit.
    let RecipeFound::Found(found) = recipe_of(&list(&files, 3), nothing) else {
        panic!("there is a test");
    };
    assert_eq!((found.tests.len(), found.limit), (1, None));
}
