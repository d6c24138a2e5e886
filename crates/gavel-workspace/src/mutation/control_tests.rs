use super::*;

/// A control and the folder of its files.
struct Held {
    folder: tempfile::TempDir,
    control: Control,
}

impl Held {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let control = Control::open(folder.path(), &Digest::of("seed")).unwrap();
        Self { folder, control }
    }

    fn set(&self, number: u64) {
        self.control.set(self.folder.path(), number).unwrap();
    }

    fn traced(&self) -> io::Result<BTreeSet<u64>> {
        self.control.trace(self.folder.path())
    }

    fn switch(&self) -> PathBuf {
        self.folder.path().join(&self.control.switch)
    }

    fn trace(&self) -> PathBuf {
        self.folder.path().join(&self.control.trace)
    }
}

#[test]
fn the_trace_is_what_was_written_since_the_switch_was_set() {
    let held = Held::new();
    assert_eq!(held.traced().unwrap(), BTreeSet::new());
    held.set(7);
    assert_eq!(fs::read_to_string(held.switch()).unwrap(), "7");
    fs::write(held.trace(), "3\nnoise\n5\n3\n").unwrap();
    assert_eq!(held.traced().unwrap(), BTreeSet::from([3, 5]));
    held.set(0);
    assert_eq!(held.traced().unwrap(), BTreeSet::new());
}

#[test]
fn what_a_test_puts_there_is_replaced_and_not_followed() {
    let held = Held::new();
    let other = held.folder.path().join("other");
    fs::write(&other, "kept").unwrap();
    std::os::unix::fs::symlink(&other, held.switch()).unwrap();
    fs::create_dir(held.trace()).unwrap();
    fs::write(held.trace().join("inside"), "x").unwrap();
    held.set(7);
    assert_eq!(fs::read_to_string(&other).unwrap(), "kept");
    assert_eq!(fs::read_to_string(held.switch()).unwrap(), "7");
    assert_eq!(held.traced().unwrap(), BTreeSet::new());
}

#[test]
fn a_pipe_or_a_link_in_place_of_the_trace_is_an_error() {
    let held = Held::new();
    std::os::unix::fs::symlink("/dev/zero", held.trace()).unwrap();
    held.traced().unwrap_err();
    fs::remove_file(held.trace()).unwrap();
    let name = "pipe";
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    let kind = rustix::fs::FileType::Fifo;
    let opened = File::open(held.folder.path()).unwrap();
    rustix::fs::mknodat(&opened, name, kind, mode, 0).unwrap();
    fs::rename(held.folder.path().join(name), held.trace()).unwrap();
    held.traced().unwrap_err();
}
