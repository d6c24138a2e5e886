//! Signs that a reader takes for a letter, and signs that no reader sees.
//!
//! A word of a tag is read as people read it: written with foreign letters that look the same, with
//! nothing between its letters that shows, it is that word all the same.

use crate::signs::is_unseen;

/// Capitals, and every sign that passes for one of them.
const LOOKS: [(char, &str); 13] = [
    ('A', "АаΑᎪᗅꓮᴀⒶⓐ🄰🅐🅰4"),
    ('C', "СсϹϲᏟꓚᴄⅭⅽⒸⓒ🄲🅒🅲ҪƇÇç"),
    ('D', "ᎠᗞꓓᴅⅮⅾԀԁⒹⓓ🄳🅓🅳Đ"),
    ('E', "ЕеΕᎬꓰᴇⒺⓔ🄴🅔🅴Ё3"),
    ('F', "ϜᖴꓝꜰⒻⓕ🄵🅕🅵Ƒ"),
    ('I', "ІіΙιᏆꓲɪⅠⅰⒾⓘ🄸🅘🅸ӀӏİıЇ1l|"),
    ('M', "МΜϺᎷꓟᴍⅯⅿⓂⓜ🄼🅜🅼м"),
    ('N', "ΝꓠɴⓃⓝ🄽🅝🅽Ñ"),
    ('O', "ОоΟοՕꓳᴏⓄⓞ🄾🅞🅾ØÖ0"),
    ('R', "ᏒᎡꓣʀⓇⓡ🅁🅡🆁Ʀ"),
    ('T', "ТΤᎢꓔᴛⓉⓣ🅃🅣🆃т"),
    ('U', "ՍሀꓴᴜⓊⓤ🅄🅤🆄υ"),
    ('V', "ѴѵᏙꓦᴠⅤⅴⓋⓥ🅅🅥🆅ν"),
];

/// The capital that a sign looks like.
pub(super) fn looks_like(sign: char) -> Option<char> {
    if sign.is_ascii_alphabetic() && sign != 'l' {
        return Some(sign.to_ascii_uppercase());
    }
    if let Some(letter) = styled(sign) {
        return Some(letter);
    }
    let same = |(_, signs): &&(char, &str)| signs.contains(sign);
    LOOKS.iter().find(same).map(|(letter, _)| *letter)
}

/// True for a sign that takes no room, or only decorates the one before it.
pub(super) const fn adds_nothing(sign: char) -> bool {
    is_unseen(sign)
        || matches!(sign, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{1ab0}'..='\u{1aff}')
        || matches!(sign, '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{fe20}'..='\u{fe2f}')
}

/// A text without the signs that nobody sees.
pub(super) fn visible(text: &str) -> String {
    text.chars().filter(|sign| !is_unseen(*sign)).collect()
}

/// Letters of full width, and those of mathematics, which come in alphabets of 52.
fn styled(sign: char) -> Option<char> {
    let place = match sign {
        'Ａ'..='Ｚ' => u32::from(sign) - u32::from('Ａ'),
        'ａ'..='ｚ' => u32::from(sign) - u32::from('ａ'),
        '\u{1d400}'..='\u{1d6a3}' => (u32::from(sign) - 0x1_d400) % 26,
        _ => return None,
    };
    char::from_u32(u32::from('A') + place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_read_as_they_look() {
        for word in [
            "CONFIRMED",
            "confirmed",
            "СОΝFІRМЕD",
            "ＣＯＮＦＩＲＭＥＤ",
            "𝐂𝐎𝐍𝐅𝐈𝐑𝐌𝐄𝐃",
            "𝖈𝖔𝖓𝖋𝖎𝖗𝖒𝖊𝖉",
            "ᴄᴏɴꜰɪʀᴍᴇᴅ",
            "ⒸⓄⓃⒻⒾⓇⓂⒺⒹ",
            "C0NFlRM3D",
        ] {
            let read: String = word.chars().filter_map(looks_like).collect();
            assert_eq!(read, "CONFIRMED", "{word}");
        }
        assert_eq!(looks_like('ệ'), None);
        assert_eq!(looks_like(' '), None);
    }

    #[test]
    fn what_nobody_sees_is_dropped() {
        assert_eq!(
            visible("C\u{200b}ON\u{feff}\u{ad}FIRM\u{e0041}ED"),
            "CONFIRMED"
        );
        assert_eq!(visible("Quyết định"), "Quyết định");
        assert!(adds_nothing('\u{332}') && !adds_nothing('a'));
    }
}
