//! What people type as artifacts.

use super::*;

fn args(artifact: &[&str], cites: &[&str]) -> HandedArgs {
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    HandedArgs {
        artifact: owned(artifact),
        cites: owned(cites),
        addresses: Vec::new(),
        waive: Vec::new(),
        artifacts: None,
    }
}

#[test]
fn citations_belong_to_their_artifact() {
    let texts = typed(args(&["critique=a=b", "nothing_new="], &["trp_1, fb_2"])).unwrap();
    let first = &texts[0];
    assert_eq!(
        (first.kind.as_str(), first.body.as_str()),
        ("critique", "a=b")
    );
    assert_eq!(first.cites, ["trp_1", "fb_2"]);
    assert_eq!(texts[1].cites, Vec::<String>::new());
    assert!(typed(args(&["critique=a"], &["trp_1", "trp_2"])).is_err());
    assert!(typed(args(&["critique"], &[])).is_err(), "no text");
}

#[test]
fn a_plan_says_what_it_leaves() {
    let mut plan = args(&["plan_draft=do it"], &[]);
    plan.addresses = vec!["art_1a2b3c4d_2".to_owned()];
    plan.waive = vec!["art_1a2b3c4d_3=out of scope".to_owned()];
    let texts = typed(plan).unwrap();
    let handed = handed(texts[0].clone()).unwrap();
    assert_eq!(handed.addresses, ["art_1a2b3c4d_2"]);
    let waived = ("art_1a2b3c4d_3".to_owned(), "out of scope".to_owned());
    assert_eq!(handed.waived, [waived]);
    assert!(waived_without_reason().is_err());
    let mut two = args(&["plan_draft=a", "plan_draft=b"], &[]);
    two.addresses = vec!["art_1a2b3c4d_2".to_owned()];
    assert!(typed(two).is_err(), "of which plan?");
}

fn waived_without_reason() -> Result<WaivedText, Failure> {
    super::waived("art_1a2b3c4d_3= ")
}
