//! What a person's words on the ship card mean.

/// What words on the ship card mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShipAnswer {
    /// The result may be shipped.
    Ship,
    /// Not yet; perhaps with what is to change.
    NotYet(Option<String>),
}

/// People who are asked whether to ship say yes or no, whatever the options are called.
pub fn ship_answer(words: &str) -> ShipAnswer {
    let plain = words.trim().trim_end_matches(['.', '!']).to_lowercase();
    match plain.as_str() {
        "y" | "yes" | "yes please" | "ok" | "okay" | "agree" | "agreed" | "ship" | "ship it"
        | "go" | "go on" | "fine" | "good" | "looks good" | "sure" => ShipAnswer::Ship,
        "n" | "no" | "not yet" | "wait" => ShipAnswer::NotYet(None),
        _ => ShipAnswer::NotYet(Some(words.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_say_yes_and_no_in_their_own_ways() {
        for yes in ["yes", " OK ", "Ship it!", "looks good."] {
            assert_eq!(ship_answer(yes), ShipAnswer::Ship, "{yes}");
        }
        for no in ["no", "Not yet.", "N"] {
            assert_eq!(ship_answer(no), ShipAnswer::NotYet(None), "{no}");
        }
        let wish = "yes, once the list is sorted";
        assert_eq!(ship_answer(wish), ShipAnswer::NotYet(Some(wish.to_owned())));
    }
}
