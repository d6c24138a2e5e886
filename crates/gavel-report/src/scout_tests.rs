use gavel_scout::{Limits, MemoryTree, Snapshot, plan, scan_deep, scan_quick};

use crate::{scout_document, scout_plan_document, scout_quick_document};

fn sample() -> MemoryTree {
    MemoryTree::of([
        (
            "package.json",
            "{\"name\": \"shop\", \"dependencies\": {\"express\": \"^4\"}}",
        ),
        (
            "package-lock.json",
            "{\"packages\": {\n\"node_modules/express\": {\n\"version\": \"4.19.2\"\n}}}",
        ),
        (
            "src/api/app.js",
            "import '../store/db.js'\napp.get('/items<b>', f)\nprocess.env.TOKEN_NAME",
        ),
        ("src/store/db.js", "export const x = 1"),
        ("src/store/gone.js", "import './nowhere'"),
    ])
}

#[test]
fn the_page_holds_findings_versions_map_and_gaps_and_no_markup_of_the_repository() {
    let scan = scan_deep(&sample(), &Limits::default());
    let document = scout_document(&scan, "shop");
    let text = document.markdown();
    for wanted in [
        "S040",
        "src/store/gone.js",
        "4.19.2",
        "## Module map",
        "src/api",
        "/items",
        "## Not read",
    ] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    let page = document.page();
    assert!(page.contains("src/api imports src/store: 1"), "{page}");
    assert!(page.contains("/items&lt;b&gt;") && !page.contains("/items<b>"));
}

#[test]
fn a_quick_look_says_what_changed_and_what_is_old() {
    let before = sample();
    let limits = Limits::default();
    let snapshot = Snapshot::of_deep(&before, &scan_deep(&before, &limits));
    let now = MemoryTree::of([("README.md", "x")]);
    let text = scout_quick_document(&scan_quick(&now, &limits, &snapshot), "shop").markdown();
    assert!(text.contains("1 added, 0 changed, 5 removed"), "{text}");
    assert!(text.contains("may be old: "), "{text}");
}

#[test]
fn a_plan_says_what_it_does_not_know() {
    let plan = plan(&scan_deep(&sample(), &Limits::default()));
    let text = scout_plan_document(&plan, "shop").markdown();
    assert!(text.contains("no registry was asked"), "{text}");
    assert!(text.contains("grade "), "{text}");
    assert!(text.contains("1. "), "{text}");
}
