use gavel_domain::{Blob, Purpose};

use super::*;

fn asked(audience: Audience, shape: AnswerShape) -> QuestionAsked {
    QuestionAsked {
        purpose: Purpose::Choice,
        card: Blob::new("{}").name(),
        shape,
        recommended: None,
        audience,
        deadline_at: None,
        on_timeout: OnTimeout::Wait,
    }
}

fn choice() -> AnswerShape {
    AnswerShape::Choice {
        options: vec!["json".into(), "text".into()],
    }
}

fn option(id: &str) -> AnswerReply {
    AnswerReply::Option { id: id.into() }
}

fn text(text: &str) -> AnswerReply {
    AnswerReply::Text { text: text.into() }
}

#[test]
fn person_questions_are_for_persons() {
    let by = |door, role, decides| Speaker {
        door,
        role,
        decides,
    };
    let asked = asked(Audience::Person, choice());
    for (speaker, allowed) in [
        (Speaker::PERSON, true),
        (by(Door::Http, Role::Person, true), true),
        (by(Door::Http, Role::Person, false), false),
        (by(Door::Bridge, Role::Person, true), true),
        (by(Door::Bridge, Role::Person, false), false),
        (by(Door::Mcp, Role::Person, true), false),
        (by(Door::Acp, Role::Coder, true), false),
        (by(Door::Cli, Role::Coder, true), false),
        (Speaker::ENGINE, false),
    ] {
        let answer = check_answer(&asked, speaker, &option("json"));
        assert_eq!(answer.is_ok(), allowed, "{speaker:?}: {answer:?}");
    }
}

#[test]
fn answers_have_the_asked_form() {
    let free = AnswerShape::Text { max_bytes: 5 };
    let both = AnswerShape::ChoiceOrText {
        options: vec!["a".into()],
        max_bytes: 5,
    };
    let limit = AnswerShape::Limit {
        options: vec!["stop".into()],
        above: 10,
    };
    for (shape, reply, fits) in [
        (choice(), option("json"), true),
        (choice(), option("xml"), false),
        (choice(), text("json"), false),
        (choice(), AnswerReply::Limit { limit: 3 }, false),
        (free.clone(), text("five!"), true),
        (free.clone(), text("longer"), false),
        (free.clone(), text("  \n"), false),
        (free, option("a"), false),
        (both.clone(), option("a"), true),
        (both, text("why"), true),
        (limit.clone(), AnswerReply::Limit { limit: 11 }, true),
        (limit.clone(), AnswerReply::Limit { limit: 10 }, false),
        (limit.clone(), option("stop"), true),
        (limit, text("11"), false),
    ] {
        let answer = check_answer(
            &asked(Audience::Any, shape.clone()),
            Speaker::PERSON,
            &reply,
        );
        assert_eq!(answer.is_ok(), fits, "{shape:?} {reply:?}: {answer:?}");
    }
}

#[test]
fn only_what_can_be_decided_is_left_to_gavel() {
    let open = asked(Audience::Any, choice());
    let recommended = QuestionAsked {
        recommended: Some("json".into()),
        ..open.clone()
    };
    let person = QuestionAsked {
        audience: Audience::Person,
        ..recommended.clone()
    };
    let check = |asked| check_answer(asked, Speaker::PERSON, &AnswerReply::Decide);
    assert_eq!(check(&open), Err(AnswerProblem::CannotDecide));
    assert_eq!(check(&recommended), Ok(()));
    assert_eq!(check(&person), Err(AnswerProblem::CannotDecide));
}

#[test]
fn what_asks_back_or_goes_along_is_no_answer_of_its_own() {
    for asks in [
        "why",
        "Why?",
        "?",
        "??",
        "help",
        "abort?",
        " huh? ",
        "What does it mean?",
    ] {
        assert_eq!(interjected(asks), Some(Interjected::Asks), "{asks}");
    }
    for agrees in ["ok", "OK.", "sure!", "go ahead", "as recommended"] {
        assert_eq!(interjected(agrees), Some(Interjected::Agrees), "{agrees}");
    }
    for own in [
        "",
        "without tags",
        "why not PostgreSQL for the orders",
        "abort",
        "yes",
        "no",
        "okay with tags",
        "help text for each command",
    ] {
        assert_eq!(interjected(own), None, "{own}");
    }
}
