use super::*;

fn only_for_tests(files: &[(&str, &str)]) -> Vec<String> {
    let mut declared = DeclaredModules::default();
    for (file, source) in files {
        declared.add(&RepoPath::new(*file).unwrap(), source);
    }
    let found = declared.only_for_tests();
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn modules_behind_cfg_test_are_found_where_cargo_finds_them() {
    for (file, source, files) in [
        (
            "src/lib.rs",
            "#[cfg(test)]\nmod checks;\n",
            vec!["src/checks", "src/checks.rs", "src/checks/mod.rs"],
        ),
        (
            "src/a.rs",
            "#[cfg(test)]\n// why\nmod checks;\n",
            vec!["src/a/checks", "src/a/checks.rs", "src/a/checks/mod.rs"],
        ),
        (
            "src/a.rs",
            "#[cfg(test)]\n#[path = \"a_tests.rs\"]\nmod tests;\n",
            vec!["src/a_tests.rs"],
        ),
        (
            "src/a.rs",
            "#[cfg(test)]\n#[path = \"../checks/./a.rs\"]\nmod tests;\n",
            vec!["checks/a.rs"],
        ),
        (
            "src/lib.rs",
            "#[cfg(test)] mod tests { mod deep { mod x; } }\n",
            vec![
                "src/tests/deep/x",
                "src/tests/deep/x.rs",
                "src/tests/deep/x/mod.rs",
            ],
        ),
        ("src/a.rs", "#[cfg(test)] mod tests { }\n", vec![]),
        ("src/a.rs", "#[cfg(not(test))]\nmod product;\n", vec![]),
        ("src/a.rs", "#[cfg(test)]\nuse x;\nmod product;\n", vec![]),
    ] {
        assert_eq!(only_for_tests(&[(file, source)]), files, "{source}");
    }
}

#[test]
fn a_module_of_the_product_stays_one_when_it_is_declared_for_tests_too() {
    let twice = "#[cfg(test)]\nmod core;\n#[cfg(not(test))]\nmod core;\n";
    assert_eq!(
        only_for_tests(&[("src/lib.rs", twice)]),
        Vec::<String>::new()
    );
    let elsewhere = [
        ("src/lib.rs", "mod core;\nmod other;\n"),
        (
            "src/other.rs",
            "#[cfg(test)]\n#[path = \"core.rs\"]\nmod again;\n",
        ),
    ];
    assert_eq!(only_for_tests(&elsewhere), Vec::<String>::new());
}
