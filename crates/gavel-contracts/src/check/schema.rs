//! The schema: its form is all there is to check.

use crate::finding::Findings;
use crate::markdown::Document;
use crate::schema::read_schema;

pub(super) fn check(document: &Document<'_>, findings: &mut Findings) {
    if let Err(found) = read_schema(document) {
        findings.extend(found);
    }
}
