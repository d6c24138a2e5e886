use super::*;

fn span(bytes: Range<usize>, rank: SpanRank) -> Span {
    Span {
        file: "src/lib.rs".to_owned(),
        bytes,
        lines: 3..4,
        text: None,
        rank,
    }
}

fn written(fault: usize, open: Range<usize>, close: Range<usize>) -> Written {
    Written { fault, open, close }
}

#[test]
fn the_nearest_fault_is_guilty() {
    // Fault 1 stands around fault 2; fault 3 is a point further on, fault 4 in another function.
    let all = [
        written(1, 10..20, 90..92),
        written(2, 30..40, 50..52),
        written(3, 110..130, 130..130),
        written(4, 200..210, 220..221),
    ];
    let guilty_at = |spans: &[Span]| {
        let faults = all.iter().map(|written| Suspect {
            written,
            function_lines: if written.fault == 4 { 10..20 } else { 1..9 },
        });
        guilty(&[Suspects {
            spans: spans.iter().collect(),
            faults: faults.collect(),
            added: &[0..5, 140..150],
        }])
    };
    for (spans, expected) in [
        (vec![span(32..35, SpanRank::Primary)], vec![2]),
        (vec![span(15..33, SpanRank::Primary)], vec![1, 2]),
        (vec![span(10..92, SpanRank::Primary)], vec![1]),
        (vec![span(45..46, SpanRank::Primary)], vec![2]),
        (vec![span(60..61, SpanRank::Primary)], vec![1]),
        (vec![span(120..120, SpanRank::Primary)], vec![3]),
        (vec![span(105..140, SpanRank::Primary)], vec![3]),
        // What explains the error names the written text, which is surer than code around it.
        (
            vec![
                span(60..61, SpanRank::Primary),
                span(32..33, SpanRank::Explains),
            ],
            vec![2],
        ),
        // So does the argument of a macro.
        (
            vec![
                span(95..96, SpanRank::Primary),
                span(32..33, SpanRank::Calls),
            ],
            vec![2],
        ),
        (vec![span(95..96, SpanRank::Primary)], vec![1, 2, 3]),
        (vec![span(141..142, SpanRank::Primary)], vec![1, 2, 3, 4]),
    ] {
        assert_eq!(
            guilty_at(&spans),
            expected.into_iter().collect(),
            "{spans:?}"
        );
    }
    let elsewhere = Span {
        lines: 30..31,
        ..span(300..301, SpanRank::Primary)
    };
    assert_eq!(guilty_at(&[elsewhere]), BTreeSet::from([1, 2, 3, 4]));
}

#[test]
fn errors_are_read_with_the_places_that_call_a_macro() {
    let raw = |file: &str, start: usize, expansion: serde_json::Value| {
        serde_json::json!({
            "file_name": file, "byte_start": start, "byte_end": start + 1, "line_start": 1,
            "line_end": 1, "is_primary": true, "text": [{"text": "line"}], "expansion": expansion,
        })
    };
    let caller = serde_json::json!({"span": raw("src/a.rs", 7, serde_json::Value::Null)});
    let message = |level: &str, spans: serde_json::Value| {
        let message = serde_json::json!({"level": level, "spans": spans, "message": "m"});
        serde_json::json!({"reason": "compiler-message", "message": message}).to_string()
    };
    let text = [
        "not json".to_owned(),
        serde_json::json!({"reason": "build-finished", "success": false}).to_string(),
        message(
            "warning",
            serde_json::json!([raw("src/w.rs", 1, serde_json::Value::Null)]),
        ),
        message("error", serde_json::json!([])),
        message("error", serde_json::json!([raw("src/m.rs", 3, caller)])),
    ]
    .join("\n");
    let files: Vec<Vec<(String, Range<usize>)>> = compiler_errors(&text)
        .into_iter()
        .map(|error| {
            error
                .spans
                .into_iter()
                .map(|span| (span.file, span.bytes))
                .collect()
        })
        .collect();
    assert_eq!(
        files,
        [vec![
            ("src/m.rs".to_owned(), 3..4),
            ("src/a.rs".to_owned(), 7..8)
        ]]
    );
}
