use super::*;

fn wrap(range: Range<usize>, open: &str, close: &str) -> Wrap {
    Wrap {
        range,
        open: open.to_owned(),
        close: close.to_owned(),
        modules: 0,
        function: 0..0,
    }
}

fn rendered(source: &str, wraps: &[Wrap], replacements: &[Replacement]) -> Rendered {
    let wraps: Vec<_> = wraps
        .iter()
        .enumerate()
        .map(|(number, wrap)| PlantedWrap {
            fault: number + 10,
            wrap,
            is_on: format!("on{number}"),
        })
        .collect();
    render(source, &wraps, replacements)
}

#[test]
fn wraps_nest_whatever_they_share() {
    let wraps = [
        wrap(0..5, "(\0 A ", " a)"),
        wrap(0..5, "(B ", " b)"),
        wrap(0..0, "P ", ""),
        wrap(0..1, "[C ", " c]"),
        wrap(4..5, "[D ", " d]"),
    ];
    let rendered = rendered("x + y;", &wraps, &[]);
    assert_eq!(rendered.text, "P (on0 A (B [C x c] + [D y d] b) a);");
    let shown: Vec<_> = rendered
        .written
        .iter()
        .map(|written| {
            let text = |range: &Range<usize>| rendered.text.get(range.clone()).unwrap();
            (written.fault, text(&written.open), text(&written.close))
        })
        .collect();
    let expected = [
        (10, "(on0 A ", " a)"),
        (11, "(B ", " b)"),
        (12, "P ", ""),
        (13, "[C ", " c]"),
        (14, "[D ", " d]"),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_replacement_takes_the_place_of_its_range() {
    let replacements = [
        Replacement {
            range: 0..2,
            text: "XX".to_owned(),
        },
        Replacement {
            range: 3..3,
            text: "+".to_owned(),
        },
    ];
    let rendered = rendered("ab cd", &[wrap(3..5, "(", ")")], &replacements);
    assert_eq!(rendered.text, "XX +(cd)");
}
