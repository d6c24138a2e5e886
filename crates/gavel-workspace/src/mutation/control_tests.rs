use super::*;

fn control() -> (tempfile::TempDir, Control) {
    let folder = tempfile::tempdir().unwrap();
    let control = Control::open(folder.path(), &Digest::of("seed")).unwrap();
    (folder, control)
}

#[test]
fn the_trace_is_what_was_written_since_the_switch_was_set() {
    let (_folder, control) = control();
    assert_eq!(control.trace().unwrap(), BTreeSet::new());
    control.set(7).unwrap();
    assert_eq!(fs::read_to_string(&control.switch).unwrap(), "7");
    fs::write(&control.trace, "3\nnoise\n5\n3\n").unwrap();
    assert_eq!(control.trace().unwrap(), BTreeSet::from([3, 5]));
    control.set(0).unwrap();
    assert_eq!(control.trace().unwrap(), BTreeSet::new());
}

#[test]
fn what_a_test_puts_there_is_replaced_and_not_followed() {
    let (folder, control) = control();
    let other = folder.path().join("other");
    fs::write(&other, "kept").unwrap();
    std::os::unix::fs::symlink(&other, &control.switch).unwrap();
    fs::create_dir(&control.trace).unwrap();
    fs::write(control.trace.join("inside"), "x").unwrap();
    control.set(7).unwrap();
    assert_eq!(fs::read_to_string(&other).unwrap(), "kept");
    assert_eq!(fs::read_to_string(&control.switch).unwrap(), "7");
    assert_eq!(control.trace().unwrap(), BTreeSet::new());
}

#[test]
fn a_pipe_or_a_link_in_place_of_the_trace_is_an_error() {
    let (folder, control) = control();
    std::os::unix::fs::symlink("/dev/zero", &control.trace).unwrap();
    control.trace().unwrap_err();
    fs::remove_file(&control.trace).unwrap();
    let name = "pipe";
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let kind = rustix::fs::FileType::Fifo;
    let opened = File::open(folder.path()).unwrap();
    rustix::fs::mknodat(&opened, name, kind, mode, 0).unwrap();
    fs::rename(folder.path().join(name), &control.trace).unwrap();
    control.trace().unwrap_err();
}
