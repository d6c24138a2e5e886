//! Findings as SARIF 2.1.0, which code hosts and editors show beside the code.

use serde_json::{Value, json};

use crate::finding::{Check, Finding, Severity};

/// The findings as one SARIF log. `version` is that of the program.
pub fn sarif(findings: &[Finding], version: &str) -> Value {
    let rules: Vec<Value> = Check::ALL
        .iter()
        .map(|check| {
            json!({
                "id": check.code(),
                "name": format!("{check:?}"),
                "shortDescription": { "text": check.title() },
                "help": { "text": check.remedy() },
            })
        })
        .collect();
    let results: Vec<Value> = findings.iter().map(result).collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "gavel scout", "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(finding: &Finding) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mut result = json!({
        "ruleId": finding.check.code(),
        "ruleIndex": Check::ALL.iter().position(|check| *check == finding.check),
        "level": level,
        "message": { "text": format!("{}; {}", finding.message, finding.check.remedy()) },
    });
    if let (Some(evidence), Some(fields)) = (&finding.evidence, result.as_object_mut()) {
        let mut place = json!({
            "artifactLocation": { "uri": address(evidence.path.as_str()), "uriBaseId": "%SRCROOT%" },
        });
        if let (Some(line), Some(place)) = (evidence.line, place.as_object_mut()) {
            place.insert("region".to_owned(), json!({ "startLine": line }));
        }
        fields.insert(
            "locations".to_owned(),
            json!([{ "physicalLocation": place }]),
        );
    }
    result
}

/// A path as a relative address.
fn address(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/._-~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use gavel_workspace::RepoPath;

    use super::*;
    use crate::survey::Evidence;

    #[test]
    fn a_finding_has_its_rule_its_level_and_its_line() {
        let path = RepoPath::new("a b/ü.py").unwrap();
        let findings = [
            Finding::at(
                Check::Secret,
                Severity::Error,
                Evidence::line(&path, 3),
                "a key",
            ),
            Finding::of_repository(Check::MissingCi, Severity::Note, "none"),
        ];
        let log = sarif(&findings, "1.2.3");
        let run = &log["runs"][0];
        assert_eq!(
            run["tool"]["driver"]["rules"].as_array().unwrap().len(),
            Check::ALL.len()
        );
        let first = &run["results"][0];
        assert_eq!(first["ruleId"], "S002");
        let index = usize::try_from(first["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "S002");
        let place = &first["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a%20b/%C3%BC.py");
        assert_eq!(place["region"]["startLine"], 3);
        assert_eq!(run["results"][1].get("locations"), None);
    }
}
