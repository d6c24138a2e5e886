use serde_json::json;

use super::*;

fn target(kind: &str, name: &str) -> Target {
    let value = json!({"kind": [kind], "name": name, "src_path": "/tree/x.rs", "test": true});
    serde_json::from_value(value).unwrap()
}

#[test]
fn a_target_without_a_harness_is_known_by_its_manifest() {
    let manifest = Manifest::read(
        "[package]\nname = \"demo\"\n[lib]\nharness = false\n\
         [[test]]\nname = \"fake\"\nharness = false\n[[test]]\nname = \"real\"\n\
         [[bin]]\nname = \"tool\"\nharness = 0\n",
    )
    .unwrap();
    for (kind, name, wanted) in [
        ("lib", "demo", false),
        ("proc-macro", "demo", false),
        ("test", "fake", false),
        ("test", "real", true),
        ("test", "found", true),
        ("bin", "tool", false),
        ("bin", "fake", true),
        ("example", "fake", true),
    ] {
        assert_eq!(
            manifest.has_harness(&target(kind, name)),
            wanted,
            "{kind} {name}"
        );
    }
    assert!(Manifest::read("not toml [").is_none());
    assert!(Manifest::read("").is_none());
}

#[test]
fn a_root_file_with_a_main_of_its_own_is_no_libtest() {
    for (text, wanted) in [
        ("#[test] fn a() {}\n", false),
        ("// no_main\n/* #![no_main] */ fn a() {}\n", false),
        ("#![no_main]\n", true),
        ("# ! [ no_main ]\n", true),
        ("#/**/![no_main]\n", true),
        ("#![cfg_attr(test, no_main)]\n", true),
        ("#![cfg_attr(all(), no_std, no_main)]\n", true),
        ("#![cfg_attr(not(test), no_main)]\nfn a() {}\n", false),
        (
            "#![feature(custom_test_frameworks)]\n#![test_runner(crate::mine)]\n",
            true,
        ),
        ("const A: &str = \"#![no_main]\";\n", false),
    ] {
        assert_eq!(has_main_of_its_own(text), wanted, "{text}");
    }
}
