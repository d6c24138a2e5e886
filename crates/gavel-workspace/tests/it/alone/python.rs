//! unittest, pytest and Django.

use gavel_workspace::{Exit, LoneVerdict, PythonInstall, Recipe, TestFolder, TestListing, verify};

use super::{CLOSINGS, check, listed, listing, nothing_is_left, plan, run, test_named, write};
use crate::room::Room;

use LoneVerdict::{Failed, NotExecuted, Passed};

pub(super) const UNITTEST: Recipe = Recipe::Unittest {
    folder: TestFolder::Root,
};

fn unittest_file() -> String {
    format!(
        r#"import os, sys, unittest
class A(unittest.TestCase):
    def test_good(self): self.assertEqual(1, 1)
    def test_bad(self): self.assertEqual(1, 2)
    @unittest.skip("later")
    def test_skipped(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()
    def test_early(self): os._exit(0)
    def test_exits(self): sys.exit(0)
    def test_prints(self):
        os.write(1, b"{CLOSINGS}")
        os.write(2, b"{CLOSINGS}")
        os._exit(0)
    def test_parts(self):
        for number in (1, 2):
            with self.subTest(number=number): self.assertEqual(number, 1)
    def test_all_parts(self):
        for number in (1, 2):
            with self.subTest(number=number): self.assertTrue(number)
    def test_crash(self): os.abort()
"#
    )
}

const UNITTEST_WANTED: [(&str, LoneVerdict); 10] = [
    ("test_a::A::test_good", Passed),
    ("test_a::A::test_bad", Failed),
    ("test_a::A::test_skipped", NotExecuted),
    ("test_a::A::test_expected", NotExecuted),
    ("test_a::A::test_early", NotExecuted),
    ("test_a::A::test_exits", Failed),
    ("test_a::A::test_prints", NotExecuted),
    ("test_a::A::test_parts", Failed),
    ("test_a::A::test_all_parts", Passed),
    ("test_a::A::test_crash", Failed),
];

#[tokio::test]
async fn tests_of_unittest_run_alone() {
    for room in Room::each().await {
        write(&room, "test_a.py", &unittest_file());
        // What would be loaded in the runner's place, were the tree searched first.
        write(&room, "json.py", "raise SystemExit(0)\n");
        write(&room, "sitecustomize.py", "raise SystemExit(0)\n");
        check(&room, &UNITTEST, &UNITTEST_WANTED).await;
        nothing_is_left(&room);
    }
}

#[tokio::test]
async fn tests_of_unittest_are_found_in_their_folder() {
    let room = Room::each().await.remove(0);
    let body = "import unittest\nclass A(unittest.TestCase):\n    def test_a(self): pass\n";
    write(&room, "tests/test_a.py", body);
    let recipe = Recipe::Unittest {
        folder: TestFolder::Tests,
    };
    check(&room, &recipe, &[("test_a::A::test_a", Passed)]).await;
    write(&room, "tests/__init__.py", "");
    write(&room, "tests/deep/__init__.py", "");
    write(&room, "tests/deep/test_b.py", body);
    let wanted = [
        ("tests::deep::test_b::A::test_a", Passed),
        ("tests::test_a::A::test_a", Passed),
    ];
    check(&room, &UNITTEST, &wanted).await;
}

#[tokio::test]
async fn a_test_that_is_gone_is_not_executed() {
    let room = Room::each().await.remove(0);
    let head = "import unittest\nclass A(unittest.TestCase):\n";
    write(
        &room,
        "test_a.py",
        &format!("{head}    def test_a(self): pass\n"),
    );
    let tests = listed(&room, &UNITTEST).await;
    write(
        &room,
        "test_a.py",
        &format!("{head}    def test_b(self): pass\n"),
    );
    let seen = run(&room, &UNITTEST, &tests[0]).await;
    assert_eq!((seen.verdict, seen.exit), (NotExecuted, Exit::Code(5)));
}

#[tokio::test]
async fn a_file_that_cannot_be_loaded_breaks_the_listing() {
    let room = Room::each().await.remove(0);
    write(&room, "test_a.py", "import nothing_of_this_name\n");
    let TestListing::Broken { output, exit } = listing(&room, &UNITTEST).await else {
        panic!("it was listed");
    };
    assert!(output.contains("nothing_of_this_name"), "{output}");
    assert_eq!(exit, Exit::Code(0));
}

/// Looks for the report of the runner that it runs in, by everything that is in reach of a simple cheat.
const FORGER: &str = r#"import glob, json, os, sys, unittest
class A(unittest.TestCase):
    def test_forges(self):
        words = open('/proc/self/cmdline').read().split('\0') + sys.argv
        folders = {os.path.dirname(word) for word in words if '/alone-' in word}
        assert folders, words
        line = json.dumps({'kind': 'report', 'test': self.id(), 'outcome': 'passed'})
        end = json.dumps({'kind': 'end', 'code': 0})
        for folder in folders:
            assert not {'order', 'report'} & set(os.listdir(folder)), os.listdir(folder)
            open(folder + '/report', 'a').write(line + '\n' + end + '\n')
        for link in glob.glob('/proc/self/fd/*'):
            if '/alone-' in os.readlink(link):
                os.write(int(os.path.basename(link)), (line + '\n' + end + '\n').encode())
        os._exit(0)
"#;

#[tokio::test]
async fn a_report_that_a_test_writes_is_not_believed() {
    let room = Room::each().await.remove(0);
    write(&room, "test_a.py", FORGER);
    check(&room, &UNITTEST, &[("test_a::A::test_forges", NotExecuted)]).await;
}

/// Leaves code for the runs that follow it where Python looks by itself.
const INFECTS: &str = r#"import os, site, sys, unittest
class A(unittest.TestCase):
    def test_infects(self):
        for folder in [site.getusersitepackages(), *site.getsitepackages()]:
            for name in ("usercustomize.py", "sitecustomize.py"):
                try:
                    os.makedirs(folder, exist_ok=True)
                    with open(os.path.join(folder, name), "w") as file:
                        file.write("import os; os._exit(7)\n")
                except OSError:
                    pass
    def test_other(self): self.assertEqual(1, 1)
"#;

#[tokio::test]
async fn a_test_leaves_nothing_for_the_next_one() {
    for room in Room::each().await {
        write(&room, "test_a.py", INFECTS);
        let wanted = [
            ("test_a::A::test_infects", Passed),
            ("test_a::A::test_other", Passed),
        ];
        check(&room, &UNITTEST, &wanted).await;
        check(&room, &UNITTEST, &wanted).await;
    }
}

const PYTEST_FILE: &str = r#"import os, sys, unittest, pytest
def test_good(): assert 1 == 1
def test_bad(): assert 1 == 2
@pytest.mark.skip
def test_skipped(): pass
def test_skips(): pytest.skip("now")
@pytest.mark.xfail
def test_expected(): assert False
@pytest.mark.xfail
def test_unexpected(): pass
def test_early(): os._exit(0)
def test_exits(): sys.exit(0)
def test_ends(): pytest.exit("enough", returncode=0)
def test_prints():
    os.write(1, b"CLOSINGS")
    os._exit(0)
@pytest.mark.parametrize("n", [1, 2])
def test_all(n): assert n
@pytest.mark.parametrize("n", [1, 0])
def test_some(n): assert n
@pytest.fixture
def broken(): yield 1; raise ValueError
def test_taken_down(broken): pass
class TestIn:
    def test_deep(self): pass
class Old(unittest.TestCase):
    def test_good(self): self.assertEqual(1, 1)
    def test_bad(self): self.assertEqual(1, 2)
"#;

const PYTEST_WANTED: [(&str, LoneVerdict); 16] = [
    ("test_a.py::test_good", Passed),
    ("test_a.py::test_bad", Failed),
    ("test_a.py::test_skipped", NotExecuted),
    ("test_a.py::test_skips", NotExecuted),
    ("test_a.py::test_expected", NotExecuted),
    ("test_a.py::test_unexpected", NotExecuted),
    ("test_a.py::test_early", NotExecuted),
    ("test_a.py::test_exits", Failed),
    ("test_a.py::test_ends", NotExecuted),
    ("test_a.py::test_prints", NotExecuted),
    ("test_a.py::test_all", Passed),
    ("test_a.py::test_some", Failed),
    ("test_a.py::test_taken_down", Failed),
    ("test_a.py::TestIn::test_deep", Passed),
    ("test_a.py::Old::test_good", Passed),
    ("test_a.py::Old::test_bad", Failed),
];

/// A room whose environment was filled from the registry.
async fn installed(recipe: &Recipe, files: &[(&str, &str)]) -> Room {
    let mut room = crate::install::rooms().await.remove(0);
    crate::managers::configure(&mut room);
    for (name, text) in files {
        write(&room, name, text);
    }
    let seen = verify(&room.commands(room.walls), &plan(&room, recipe)).await;
    let failed = seen
        .unwrap()
        .install
        .into_iter()
        .find(|ran| ran.outcome.exit != Exit::Code(0));
    assert_eq!(failed, None);
    room
}

#[tokio::test]
async fn attacks_tests_of_pytest_run_alone() {
    if !gavel_testkit::asked_for("attacks") {
        return;
    }
    let recipe = Recipe::Pytest {
        install: PythonInstall::Runner,
    };
    let good = "def test_good(): pass\n";
    let room = installed(&recipe, &[("test_a.py", good)]).await;
    write(
        &room,
        "test_a.py",
        &PYTEST_FILE.replace("CLOSINGS", CLOSINGS),
    );
    check(&room, &recipe, &PYTEST_WANTED).await;
    nothing_is_left(&room);
    // Code that is left in the environment's own folder.
    write(&room, "test_a.py", INFECTS);
    for _ in ["before", "after"] {
        let wanted = [
            ("test_a.py::A::test_infects", Passed),
            ("test_a.py::A::test_other", Passed),
        ];
        check(&room, &recipe, &wanted).await;
    }
    // A hook that makes passes of failures.
    write(
        &room,
        "conftest.py",
        "import pytest\n@pytest.hookimpl(hookwrapper=True)\n\
         def pytest_runtest_makereport(item, call):\n    outcome = yield\n    \
         outcome.get_result().outcome = 'passed'\n\
         def pytest_sessionfinish(session): session.exitstatus = 0\n",
    );
    write(&room, "test_a.py", "def test_bad(): assert False\n");
    check(&room, &recipe, &[("test_a.py::test_bad", Failed)]).await;
    std::fs::remove_file(room.tree().join("conftest.py")).unwrap();
    // A name that is gone, none at all, and a file that cannot be loaded.
    let tests = listed(&room, &recipe).await;
    write(&room, "test_a.py", good);
    let seen = run(&room, &recipe, test_named(&tests, "test_a.py::test_bad")).await;
    assert_eq!((seen.verdict, seen.exit), (NotExecuted, Exit::Code(4)));
    write(&room, "test_a.py", "");
    assert_eq!(listed(&room, &recipe).await, []);
    write(&room, "test_a.py", "import nothing_of_this_name\n");
    let seen = listing(&room, &recipe).await;
    assert!(matches!(
        seen,
        TestListing::Broken {
            exit: Exit::Code(2),
            ..
        }
    ));
}

/// What honest projects have: coverage with a bound, workers, async tests, subtests, a folder of tests and
/// nothing at the root.
const PLUGINS: &str = "pytest-cov\npytest-xdist\npytest-asyncio\npytest-timeout\n";
const HONEST: &str = r#"import asyncio, unittest, pytest
from pack import one
@pytest.mark.asyncio
async def test_async():
    await asyncio.sleep(0)
    assert one() == 1
@pytest.mark.asyncio
async def test_async_bad():
    await asyncio.sleep(0)
    assert one() == 2
class Parts(unittest.TestCase):
    def test_parts(self):
        for number in (1, 2):
            with self.subTest(number=number): self.assertTrue(number)
    def test_bad_part(self):
        for number in (1, 0):
            with self.subTest(number=number): self.assertTrue(number)
"#;

#[tokio::test]
async fn attacks_plugins_of_pytest_do_not_stand_in_the_way() {
    if !gavel_testkit::asked_for("attacks") {
        return;
    }
    let recipe = Recipe::Pytest {
        install: PythonInstall::Requirements,
    };
    let options = "[pytest]\naddopts = -n 2 --cov=pack --cov-fail-under=100 --timeout=60\n";
    let files = [
        ("requirements.txt", PLUGINS),
        ("pack.py", "def one(): return 1\ndef two(): return 2\n"),
        ("pytest.ini", options),
        ("tests/test_a.py", HONEST),
    ];
    let room = installed(&recipe, &files).await;
    let wanted = [
        ("tests/test_a.py::test_async", Passed),
        ("tests/test_a.py::test_async_bad", Failed),
        ("tests/test_a.py::Parts::test_parts", Passed),
        ("tests/test_a.py::Parts::test_bad_part", Failed),
    ];
    check(&room, &recipe, &wanted).await;
    // Without settings, pytest would take the folder of the tests for the root.
    std::fs::remove_file(room.tree().join("pytest.ini")).unwrap();
    check(&room, &recipe, &wanted).await;
}

#[tokio::test]
async fn attacks_tests_in_an_environment_of_uv_run_alone() {
    if !gavel_testkit::asked_for("attacks") {
        return;
    }
    let recipe = Recipe::Pytest {
        install: PythonInstall::Uv { has_runner: true },
    };
    let mut room = crate::install::rooms().await.remove(0);
    crate::managers::configure(&mut room);
    let words = [
        "python3", "-m", "pip", "install", "--quiet", "--target", ".", "uv",
    ];
    let folder = crate::managers::fetched("uv", &words);
    room.toolchains.path = vec![folder.join("bin")];
    room.toolchains.folders = vec![folder.clone()];
    write(
        &room,
        "pyproject.toml",
        "[project]\nname = \"demo\"\nversion = \"1.0\"\nrequires-python = \">=3.9\"\n\
         dependencies = [\"pytest\"]\n",
    );
    write(
        &room,
        "test_a.py",
        "def test_good(): pass\ndef test_bad(): assert False\n",
    );
    let locked = std::process::Command::new(folder.join("bin/uv"))
        .args(["lock", "--native-tls"])
        .current_dir(room.tree())
        .status();
    assert!(locked.unwrap().success());
    let seen = verify(&room.commands(room.walls), &plan(&room, &recipe)).await;
    let installed = seen.unwrap().install;
    assert!(
        installed
            .iter()
            .all(|ran| ran.outcome.exit == Exit::Code(0))
    );
    let wanted = [
        ("test_a.py::test_good", Passed),
        ("test_a.py::test_bad", Failed),
    ];
    check(&room, &recipe, &wanted).await;
}

const MANAGE: &str = "import os, sys\n\
    os.environ.setdefault('DJANGO_SETTINGS_MODULE', 'settings')\n\
    from django.core.management import execute_from_command_line\n\
    execute_from_command_line(sys.argv)\n";
const SETTINGS: &str = "SECRET_KEY = 'x'\nINSTALLED_APPS = []\nUSE_TZ = True\n\
    DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': ':memory:'}}\n";
const DJANGO_FILE: &str = "import os, unittest\nfrom django.test import SimpleTestCase, TestCase\n\
    class A(TestCase):\n    \
    def test_good(self): self.assertEqual(1, 1)\n    \
    def test_bad(self): self.assertEqual(1, 2)\n    \
    def test_early(self): os._exit(0)\n    \
    @unittest.skip('later')\n    def test_skipped(self): pass\n";

#[tokio::test]
async fn attacks_tests_of_django_run_alone() {
    if !gavel_testkit::asked_for("attacks") {
        return;
    }
    let recipe = Recipe::Django {
        install: PythonInstall::Requirements,
    };
    let files = [
        ("requirements.txt", "django\n"),
        ("manage.py", MANAGE),
        ("settings.py", SETTINGS),
        ("test_a.py", DJANGO_FILE),
    ];
    let room = installed(&recipe, &files).await;
    let wanted = [
        ("test_a::A::test_good", Passed),
        ("test_a::A::test_bad", Failed),
        ("test_a::A::test_early", NotExecuted),
        ("test_a::A::test_skipped", NotExecuted),
    ];
    check(&room, &recipe, &wanted).await;
}
