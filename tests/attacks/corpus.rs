//! The corpora of the fuzz targets, on a stable compiler: each seed as it is, cut, and with one byte
//! changed. What a fuzzer found is kept as a seed.

#[path = "../../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "it is a library where libFuzzer calls it")]
mod targets;

use std::path::{Path, PathBuf};

fn corpus(target: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    let entries = std::fs::read_dir(folder.join(target)).unwrap();
    let mut seeds: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    seeds.sort();
    seeds
}

/// As many places of a seed as are worth trying.
fn places(seed: &[u8]) -> impl Iterator<Item = usize> + use<> {
    let step = (seed.len() / 16).max(1);
    (0..seed.len()).step_by(step)
}

#[test]
fn every_parser_takes_its_corpus_whole_cut_and_changed() {
    for (name, target) in targets::TARGETS {
        let seeds = corpus(name);
        assert!(!seeds.is_empty(), "{name} has no corpus");
        target(b"");
        for path in seeds {
            let seed = std::fs::read(&path).unwrap();
            target(&seed);
            for place in places(&seed) {
                target(&seed[..place]);
                let mut changed = seed.clone();
                for byte in [b'\0', b'"', b'\n', 0xff] {
                    changed[place] = byte;
                    target(&changed);
                }
            }
        }
    }
}
