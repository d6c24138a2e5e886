//! A quick scan on a real tree: what changed is what was written, and only that.

use gavel_scout::{DiskTree, Limits, Snapshot, scan_deep, scan_quick};

#[test]
fn a_file_of_the_same_length_and_time_is_seen_as_changed() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("a.py");
    std::fs::write(&file, "x = 1\n").unwrap();
    std::fs::write(place.path().join("b.py"), "y = 1\n").unwrap();
    let limits = Limits::default();
    let open = || DiskTree::open(place.path(), limits.files).unwrap();
    let before = open();
    let snapshot = Snapshot::of_deep(&before, &scan_deep(&before, &limits));
    let kept: Snapshot = serde_json::from_str(&serde_json::to_string(&snapshot).unwrap()).unwrap();
    assert_eq!(kept, snapshot);
    let time = std::fs::metadata(&file).unwrap().modified().unwrap();
    std::fs::write(&file, "x = (\n").unwrap();
    std::fs::File::options()
        .write(true)
        .open(&file)
        .unwrap()
        .set_modified(time)
        .unwrap();
    let quick = scan_quick(&open(), &limits, &kept);
    let changed: Vec<String> = quick.changed.iter().map(ToString::to_string).collect();
    assert_eq!(changed, ["a.py"]);
    assert_eq!(quick.new_findings, 1);
}
