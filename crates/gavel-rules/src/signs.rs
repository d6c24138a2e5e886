//! Signs that no reader sees. One list for everybody who drops, refuses or reads past them.

/// True for a sign that takes no room, or that turns the direction of what follows.
pub const fn is_unseen(sign: char) -> bool {
    matches!(
        sign,
        '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// True for a sign that has no place in a text that people hold each other to: controls but for line
/// ends and tabs, and what nobody sees and no writing needs.
pub fn is_hidden(sign: char) -> bool {
    let control = sign.is_control() && !matches!(sign, '\t' | '\n');
    control || (is_unseen(sign) && !is_needed(sign))
}

/// Joiners, marks of direction and choices of a variant: emoji and many scripts are written with them.
const fn is_needed(sign: char) -> bool {
    matches!(
        sign,
        '\u{61c}'
            | '\u{180b}'..='\u{180d}'
            | '\u{180f}'
            | '\u{200c}'..='\u{200f}'
            | '\u{fe00}'..='\u{fe0f}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the contracts refused before there was one list.
    fn was_refused(sign: char) -> bool {
        (sign.is_control() && sign != '\t')
            || matches!(sign, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..='\u{e007f}')
    }

    /// What councils read past.
    fn was_read_past(sign: char) -> bool {
        let low = "\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{3164}\u{feff}\u{ffa0}";
        low.contains(sign)
            || matches!(sign, '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
            || matches!(sign, '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{fff9}'..='\u{fffb}')
            || matches!(sign, '\u{e0000}'..='\u{e0fff}')
    }

    #[test]
    fn nothing_is_forgotten_that_anybody_knew() {
        for sign in '\0'..=char::MAX {
            let shown = sign.escape_unicode();
            assert!(
                is_hidden(sign) || !was_refused(sign) || sign == '\n',
                "{shown}"
            );
            assert!(is_unseen(sign) || !was_read_past(sign), "{shown}");
            // What briefs dropped besides.
            let music = matches!(sign, '\u{1d173}'..='\u{1d17a}');
            assert!(is_unseen(sign) || !music, "{shown}");
        }
    }

    #[test]
    fn what_people_write_stays() {
        let texts = [
            "Done ✔\u{fe0f} by 👩\u{200d}💻",
            "می\u{200c}خواهم",
            "Quyết định\t\n",
            "שלום\u{200f}!",
        ];
        for text in texts {
            assert!(!text.chars().any(is_hidden), "{text:?}");
        }
        for text in [
            "a\u{200b}b",
            "a\u{202e}b",
            "a\u{feff}b",
            "a\u{1b}b",
            "a\u{e0041}",
        ] {
            assert!(text.chars().any(is_hidden), "{text:?}");
        }
    }
}
