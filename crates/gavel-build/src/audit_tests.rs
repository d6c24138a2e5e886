use super::*;

fn submitted(verdict: &str, severities: &[&str]) -> String {
    let findings: Vec<_> = severities
        .iter()
        .map(|severity| serde_json::json!({"severity": severity, "message": "it is wrong"}))
        .collect();
    serde_json::json!({"verdict": verdict, "findings": findings}).to_string()
}

fn problem(arguments: &str) -> String {
    let submission: Submission = serde_json::from_str(arguments).unwrap();
    assert!(Submission::read(arguments).is_none());
    submission.check().unwrap_err()
}

#[test]
fn a_judgement_must_agree_with_its_findings() {
    let (verdict, findings) = Submission::read(&submitted("pass", &["warning"]))
        .unwrap()
        .into_parts();
    assert_eq!((verdict, findings.len()), (AuditVerdict::Pass, 1));
    let failed = Submission::read(&submitted("fail", &["error", "warning"])).unwrap();
    assert_eq!(failed.into_parts().0, AuditVerdict::Fail);
    assert!(problem(&submitted("pass", &["error"])).starts_with("`pass` and 1 error(s)"));
    assert!(problem(&submitted("fail", &[])).starts_with("`fail` needs a finding"));
    assert!(problem(&submitted("fail", &["warning"])).starts_with("`fail` needs a finding"));
}

#[test]
fn empty_and_endless_findings_are_refused() {
    let empty = r#"{"verdict":"fail","findings":[{"severity":"error","message":" "}]}"#;
    assert_eq!(problem(empty), "finding 1 says nothing");
    let many = submitted("fail", &["error"; 51]);
    assert!(problem(&many).starts_with("51 findings are too many"));
}

#[test]
fn what_is_no_judgement_is_none() {
    for text in ["", "{}", "null", r#"{"verdict":"perfect","findings":[]}"#] {
        assert!(Submission::read(text).is_none(), "{text}");
    }
}
