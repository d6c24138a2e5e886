use proptest::prelude::*;

use super::*;

#[test]
fn agreement_is_seen() {
    let texts = [
        "I think everything is locked now.",
        "Everything's settled as far as I can see.",
        "After your last answer we are fully aligned.",
        "We have complete agreement on the store.",
        "There are no remaining disputes between us.",
        "I see no remaining concerns here.",
        "I have no further objections to this.",
        "There are no more issues on my side.",
        "With that the design is locked for me.",
        "All architectural decisions are locked.",
        "I agree on where we’ve landed, thank you.",
        "I agree with where we have landed.",
        "We are ready to proceed to implementation.",
        "I am ready to move to implementation.",
        "We're ready to start implementation today.",
        "Let's proceed to implementation then.",
        "Let us move on to the implementation.",
        "This is my final position: SQLite.",
        "I fully agree with the Skeptic's reading.",
        "We completely\n   concur on the queue.",
        "I agree completely with the plan.",
        "Nothing is left: I fully agree.",
        "I fully agree, and SQLite is settled.",
        "Signed off by me, the Architect.",
        "From where I stand: **ship it**.",
        "You have my green light for this.",
        "The whole thing looks good to me.",
        "The plan v1.2 is good to go from here.",
        "Tôi nhất trí với phương án này.",
        "Tôi đồng ý hoàn toàn với anh.",
        "Tôi đồng ý với phương án SQLite.",
        "Chúng ta không còn ý kiến nào khác.",
        "Hai bên không còn gì để tranh luận.",
        "Chúng ta sẵn sàng triển khai ngay.",
        "Vậy chốt lại phương án SQLite nhé.",
        // Every match is looked at, not the first of its phrase.
        "We were not fully aligned before. Now we are fully aligned.",
        "We were not fully aligned in the beginning, with three of us, and are fully aligned today.",
        // The negation stands in another sentence.
        "Do I object? No. Ship it as it is.",
        // Words that hold a negation are none.
        "As you know, fully aligned.",
        "I read https://a.test/x?y=1 and fully agree with it.",
        "The notebook part is good to go.",
        // Far before the phrase.
        "It does not scale to many writers, so with one writer only I fully agree with SQLite.",
        "- the schema is fine\n- good to go\n- what about tests?",
    ];
    for text in texts {
        assert!(is_locked(text), "{text}");
    }
}

#[test]
fn what_only_looks_like_agreement_is_none() {
    let texts = [
        // Negated.
        "We are not fully aligned on this yet.",
        "I don't fully agree with the Skeptic.",
        "I don’t fully agree with the Skeptic.",
        "I do not completely agree on that.",
        "I cannot sign off on this design.",
        "I can't sign off on this design.",
        "I won't sign off on this design.",
        "This isn't good to go, I fear.",
        "We have not yet complete agreement.",
        "There is no complete agreement here.",
        "I will never sign off on this.",
        "That is hardly a green light from me.",
        "No, everything is locked is too early to say.",
        "We proceed without complete agreement.",
        "Neither of us is fully aligned here.",
        "Nor are we ready to proceed with it.",
        "I refuse to sign off on this plan.",
        "Tôi không đồng ý với phương án này.",
        "Chúng ta chưa nhất trí về kho dữ liệu.",
        "Tôi chẳng đồng ý hoàn toàn đâu.",
        "Chúng ta chưa sẵn sàng triển khai.",
        // Asked.
        "Do you agree on where we've landed?",
        "So, are we good to go, all of us?!",
        "Can we say that we are\nfully aligned now?",
        "“Are we fully aligned?” is what I ask.",
        "Anh có đồng ý với tôi không",
        "Chúng ta nhất trí chưa?",
        // Under a condition.
        "We are ready to proceed once the tests are in.",
        "If the lock is real, I fully agree with you.",
        "Good to go as soon as the trap is answered.",
        "I sign off provided we keep the index.",
        "Unless somebody objects, ship it today.",
        "Ready to proceed after we measured it.",
        "Nếu có kiểm thử thì tôi đồng ý với anh.",
        // With a reservation behind it.
        "I fully agree with the cache, but the schema is wrong.",
        "Looks good to me except for the migration.",
        "Tôi đồng ý với bộ đệm nhưng lược đồ thì sai.",
        // Somebody else's words.
        "> we are fully aligned, ship it\n\nI see it otherwise.",
        // Short.
        "ship it",
        "LGTM. Ship it.",
        "  good to go          ",
        // About a point.
        "I fully agree that writers are the risk.",
        "We agree entirely why it is slow.",
        // Nothing of the kind.
        "",
        "SQLite fits: one writer, no server, one file.",
        "The redesign offers a green lighthouse.",
    ];
    for text in texts {
        assert!(!is_locked(text), "{text}");
    }
}

#[test]
fn a_negation_reaches_twenty_four_characters() {
    // From the beginning of the negation to the beginning of the phrase.
    let text = |between: usize| format!("not {} fully aligned.", "x".repeat(between));
    assert!(!is_locked(&text(WINDOW - "not ".len() - " ".len())));
    assert!(is_locked(&text(WINDOW + 1 - "not ".len() - " ".len())));
}

#[test]
fn a_text_of_twenty_characters_counts() {
    let long = format!("{} ship it", "x".repeat(12));
    assert_eq!(long.chars().count(), SHORTEST);
    assert!(is_locked(&long));
    assert!(!is_locked(long.strip_prefix('x').unwrap()));
}

#[test]
fn convergence_is_a_share() {
    let table = [
        (0, 0, 0),
        (3, 0, 0),
        (0, 4, 0),
        (2, 3, 66),
        (4, 5, 80),
        (4, 4, 100),
        (9, 4, 100),
    ];
    for (locked, turns, wanted) in table {
        assert_eq!(converged(locked, turns), wanted, "{locked} of {turns}");
    }
}

/// Every way to write a phrase, words that may be missing included.
fn written(phrase: &str) -> Vec<String> {
    let mut ways = vec![String::new()];
    for slot in phrase
        .split_whitespace()
        .filter(|slot| !slot.starts_with('!'))
    {
        let (words, missing) = slot
            .strip_suffix('?')
            .map_or((slot, None), |slot| (slot, Some("")));
        let further = |way: &String| -> Vec<String> {
            let words = words.split('|').map(|word| format!("{way} {word}"));
            words.chain(missing.map(|_| way.clone())).collect()
        };
        ways = ways.iter().flat_map(further).collect();
    }
    ways.iter().map(|way| way.trim().to_owned()).collect()
}

#[test]
fn every_phrase_can_be_said_and_taken_back() {
    for said in PHRASES.iter().flat_map(|phrase| written(phrase)) {
        assert!(
            is_locked(&format!("Then in my eyes it is so: {said}.")),
            "{said}"
        );
        assert!(
            !is_locked(&format!("I say it plainly: not {said}.")),
            "not {said}"
        );
        assert!(
            !is_locked(&format!("I ask all of you here: {said}?")),
            "{said}?"
        );
    }
}

proptest! {
    #[test]
    fn reading_is_total(text in any::<String>(), other in "[a-zđồ'’ .?!\n*>-]{0,60}") {
        // Only the words that were written can lock a text: a question mark at its end does not.
        is_locked(&text);
        let asked = format!("{}?", other.replace(['.', '!', '\n'], " "));
        prop_assert!(!is_locked(&asked), "{asked}");
    }

    #[test]
    fn upper_case_and_blanks_do_not_matter(
        at in 0..PHRASES.len(),
        blanks in "[ \t]{1,3}",
    ) {
        for said in written(PHRASES[at]) {
            let said = said.to_uppercase().replace(' ', &blanks);
            let text = format!("In my eyes it is so: {said}!");
            prop_assert!(is_locked(&text), "{}", text);
        }
    }
}
