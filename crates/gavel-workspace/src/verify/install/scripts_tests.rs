use super::*;

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn tree_at(folder: &Path) -> Tree {
    Tree {
        root: crate::TreeRoot::open(folder).unwrap(),
        path: folder.to_owned(),
        cache: folder.join("cache"),
        fetch: folder.join("fetch"),
    }
}

const LEFT: &str = r#"{"name":"left","version":"1.0.0","scripts":{"postinstall":"node get.js"}}"#;

#[test]
fn packages_with_scripts_are_named_and_everything_beside_them_counts() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let tree = tree_at(at);
    assert_eq!(scripts_of(&tree), None);
    write(
        at,
        "node_modules/plain/package.json",
        r#"{"name":"plain","version":"2.0.0"}"#,
    );
    assert_eq!(scripts_of(&tree), None);
    write(at, "node_modules/left/package.json", LEFT);
    write(at, "node_modules/left/get.js", "1");
    // A manifest that is no package's.
    write(at, "node_modules/plain/deep/package.json", LEFT);
    write(
        at,
        "node_modules/@scope/built/package.json",
        r#"{"name":"@scope/built","version":"3.0.0"}"#,
    );
    write(at, "node_modules/@scope/built/binding.gyp", "{}");
    let found = scripts_of(&tree).unwrap();
    assert_eq!(found.packages, ["@scope/built@3.0.0", "left@1.0.0"]);
    assert_eq!(scripts_of(&tree), Some(found.clone()));
    // The project itself does not count: these scripts do not see it.
    write(at, "src/index.js", "2");
    assert_eq!(scripts_of(&tree), Some(found.clone()));
    for (name, text) in [
        ("node_modules/left/get.js", "2"),
        ("node_modules/plain/index.js", "0"),
    ] {
        write(at, name, text);
        assert_ne!(scripts_of(&tree).unwrap().digest, found.digest, "{name}");
    }
}

#[test]
fn the_same_packages_at_another_place_are_the_same() {
    let digests = [0, 1].map(|_| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "node_modules/left/package.json", LEFT);
        std::os::unix::fs::symlink("left", folder.path().join("node_modules/link")).unwrap();
        scripts_of(&tree_at(folder.path())).unwrap().digest
    });
    assert_eq!(digests[0], digests[1]);
}

#[test]
fn names_are_taken_from_before_the_version() {
    assert_eq!(name_of("left@1.0.0"), "left");
    assert_eq!(name_of("@scope/built@3.0.0"), "@scope/built");
}
