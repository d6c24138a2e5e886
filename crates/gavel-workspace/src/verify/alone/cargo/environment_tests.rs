use serde_json::json;

use super::*;

#[test]
fn a_package_is_described_as_cargo_does() {
    let package = json!({
        "id": "demo", "name": "demo", "version": "1.2.3-rc.1+b5", "targets": [],
        "manifest_path": "/tree/member/Cargo.toml", "authors": ["A", "B"],
        "description": "what", "license": null,
    });
    let env = of_package(&serde_json::from_value(package).unwrap());
    for (name, value) in [
        ("CARGO_MANIFEST_DIR", "/tree/member"),
        ("CARGO_MANIFEST_PATH", "/tree/member/Cargo.toml"),
        ("CARGO_PKG_NAME", "demo"),
        ("CARGO_PKG_VERSION", "1.2.3-rc.1+b5"),
        ("CARGO_PKG_VERSION_MAJOR", "1"),
        ("CARGO_PKG_VERSION_MINOR", "2"),
        ("CARGO_PKG_VERSION_PATCH", "3"),
        ("CARGO_PKG_VERSION_PRE", "rc.1"),
        ("CARGO_PKG_AUTHORS", "A:B"),
        ("CARGO_PKG_DESCRIPTION", "what"),
        ("CARGO_PKG_LICENSE", ""),
    ] {
        assert_eq!(env.get(name).map(String::as_str), Some(value), "{name}");
    }
}

#[test]
fn variables_of_the_configuration_are_texts_or_paths() {
    let config = "[env]\nA = \"one\"\nB = { value = \"data\", relative = true }\n\
        C = { value = \"two\", force = true }\nLD_PRELOAD = \"/tree/x.so\"\nD = 1\n";
    let env = configured(config, Path::new("/tree"));
    let rows = [("A", "one"), ("B", "/tree/data"), ("C", "two")];
    let wanted = rows.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!(env, BTreeMap::from(wanted));
    assert_eq!(configured("broken [", Path::new("/tree")), BTreeMap::new());
}
