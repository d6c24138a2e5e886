use super::*;

#[test]
fn a_repair_of_behaviour_is_told_from_other_requests() {
    for request in [
        "Fix the crash when the cart is empty",
        "fix: total is off by one",
        "The total is wrong for negative prices",
        "bug: dates are parsed in the wrong order",
        "`gavel list` panics without a store",
        "Resolve the deadlock between the two queues",
        "login doesn't work with a plus sign in the address",
        "Regression in 1.2: exports are empty",
        "There is a bug in the spelling checker, fix it",
        "Fix the typo handling bug in the parser",
        "Please correct how rounding is done",
    ] {
        assert!(is_bug_fix(request), "{request}");
    }
    for request in [
        "Fix a typo in the README",
        "fix the spelling of receive",
        "Fix the comment above main",
        "fix clippy warnings",
        "Add a logout button",
        "Add a page that lists failed imports",
        "Create a correct and fast parser",
        "Rename add to total",
        "Change the greeting from Hello to Hi",
        "There is a typo in the wrong order message",
        "Write tests for the cart",
        "",
    ] {
        assert!(!is_bug_fix(request), "{request}");
    }
}
