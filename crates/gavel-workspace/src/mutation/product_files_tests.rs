use super::*;

#[test]
fn tests_and_settings_are_no_product() {
    for (file, is) in [
        ("src/lib.rs", true),
        ("src/tests/parser.rs", true),
        ("crates/a/src/build.rs", true),
        ("build.rs", false),
        ("crates/a/tests/it/main.rs", false),
        ("benches/speed.rs", false),
        ("examples/demo/src/main.rs", false),
        ("app/core.py", true),
        ("contest.py", true),
        ("app/test_core.py", false),
        ("app/core_test.py", false),
        ("tests/helpers.py", false),
        ("conftest.py", false),
        ("app/core.pyi", false),
        ("setup.py", false),
        ("src/index.js", true),
        ("src/latest/app.tsx", true),
        ("src/app.test.ts", false),
        ("src/app.spec.jsx", false),
        ("src/__tests__/app.js", false),
        ("test/app.js", false),
        ("types.d.ts", false),
        ("vite.config.ts", false),
        (".eslintrc.cjs", false),
        ("README.md", false),
    ] {
        let path = RepoPath::new(file).unwrap();
        assert_eq!(is_product_file(&path).is_some(), is, "{file}");
    }
}
