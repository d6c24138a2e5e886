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
    assert_eq!(scripts_of(&tree, MOST), Ok(None));
    write(
        at,
        "node_modules/plain/package.json",
        r#"{"name":"plain","version":"2.0.0"}"#,
    );
    assert_eq!(scripts_of(&tree, MOST), Ok(None));
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
    let found = scripts_of(&tree, MOST).unwrap().unwrap();
    assert_eq!(found.packages, ["@scope/built@3.0.0", "left@1.0.0"]);
    assert_eq!(scripts_of(&tree, MOST), Ok(Some(found.clone())));
    // The project itself does not count: these scripts do not see it.
    write(at, "src/index.js", "2");
    assert_eq!(scripts_of(&tree, MOST), Ok(Some(found.clone())));
    for (name, text) in [
        ("node_modules/left/get.js", "2"),
        ("node_modules/plain/index.js", "0"),
    ] {
        write(at, name, text);
        assert_ne!(
            scripts_of(&tree, MOST).unwrap().unwrap().digest,
            found.digest,
            "{name}"
        );
    }
}

#[test]
fn the_same_packages_at_another_place_are_the_same() {
    let digests = [0, 1].map(|_| {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "node_modules/left/package.json", LEFT);
        std::os::unix::fs::symlink("left", folder.path().join("node_modules/link")).unwrap();
        scripts_of(&tree_at(folder.path()), MOST)
            .unwrap()
            .unwrap()
            .digest
    });
    assert_eq!(digests[0], digests[1]);
}

#[test]
fn names_are_taken_from_before_the_version() {
    assert_eq!(name_of("left@1.0.0"), "left");
    assert_eq!(name_of("@scope/built@3.0.0"), "@scope/built");
}

#[test]
fn why_dependencies_cannot_be_told_apart_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let tree = tree_at(at);
    write(at, "node_modules/left/package.json", LEFT);
    write(at, "node_modules/left/get.js", "0123456789");
    let bytes = LEFT.len() as u64 + 10;
    let judged = |files, bytes| scripts_of(&tree, Most { files, bytes });
    assert!(judged(2, bytes).unwrap().is_some());
    let files = ScriptsUnasked::TooManyFiles { most: 1 };
    assert_eq!(judged(1, bytes), Err(files));
    let most = bytes - 1;
    let large = ScriptsUnasked::TooManyBytes { most };
    assert_eq!(judged(2, most), Err(large));
    let pipe = at.join("node_modules/left/pipe");
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, rustix::fs::Mode::RWXU, 0).unwrap();
    assert_eq!(judged(9, bytes), Err(ScriptsUnasked::NotComparable));
}
