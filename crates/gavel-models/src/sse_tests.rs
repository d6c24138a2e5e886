use proptest::prelude::*;

use super::*;

fn read(chunks: &[&[u8]]) -> (Vec<(String, String)>, Result<(), BadReply>) {
    let mut reader = SseReader::default();
    let mut events = Vec::new();
    let mut end = Ok(());
    for chunk in chunks {
        end = reader.push(chunk, &mut events);
        if end.is_err() {
            break;
        }
    }
    let end = end.and_then(|()| reader.finish());
    (events.into_iter().map(|e| (e.name, e.data)).collect(), end)
}

fn event(name: &str, data: &str) -> (String, String) {
    (name.to_owned(), data.to_owned())
}

#[test]
fn reads_events_whatever_the_line_ends() {
    for text in [
        "event: a\ndata: 1\n\ndata: 2\n\n",
        "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n",
        "event: a\rdata: 1\r\rdata: 2\r\r",
        "\u{feff}event:a\ndata:1\n\n: keep-alive\n\nid: 7\nretry: 9\ndata:2\n\n",
    ] {
        let (events, end) = read(&[text.as_bytes()]);
        assert_eq!(events, [event("a", "1"), event("", "2")], "{text:?}");
        assert_eq!(end, Ok(()));
    }
}

#[test]
fn joins_data_lines_and_keeps_all_but_one_leading_space() {
    let (events, end) = read(&[b"data: one\ndata:  two\ndata\n\n"]);
    assert_eq!(events, [event("", "one\n two\n")]);
    assert_eq!(end, Ok(()));
}

#[test]
fn a_name_without_data_is_no_event() {
    let (events, end) = read(&[b"event: ping\n\ndata: 1\n\n"]);
    assert_eq!(events, [event("", "1")]);
    assert_eq!(end, Ok(()));
}

#[test]
fn says_when_the_stream_ends_inside_an_event() {
    for cut in [
        "data: 1\n\ndat",
        "data: 1\n\ndata: 2",
        "data: 1\n\ndata: 2\n",
    ] {
        let (events, end) = read(&[cut.as_bytes()]);
        assert_eq!(events, [event("", "1")], "{cut:?}");
        assert_eq!(end, Err(BadReply::Cut), "{cut:?}");
    }
}

#[test]
fn says_when_bytes_are_no_utf8() {
    let (events, end) = read(&[b"data: 1\n\ndata: \xff\xfe\n\n"]);
    assert_eq!(events, [event("", "1")]);
    assert_eq!(end, Err(BadReply::NotUtf8));
}

#[test]
fn refuses_an_event_without_end() {
    let line = vec![b'x'; MAX_EVENT_BYTES + 1];
    assert_eq!(read(&[&line]).1, Err(BadReply::Malformed));
    let many = b"data: 0123456789abcdef0123456789abcdef\n".repeat(MAX_EVENT_BYTES / 32);
    assert_eq!(read(&[&many]).1, Err(BadReply::Malformed));
}

proptest! {
    #[test]
    fn chunk_borders_do_not_matter(
        texts in proptest::collection::vec("[^\r\n]{0,12}", 1..6),
        size in 1_usize..9,
    ) {
        let stream: String = texts.iter().map(|t| format!("data: {t}\r\n\r\n")).collect();
        let whole = read(&[stream.as_bytes()]);
        let pieces: Vec<&[u8]> = stream.as_bytes().chunks(size).collect();
        prop_assert_eq!(&read(&pieces), &whole);
        let expected: Vec<_> = texts.iter().map(|t| event("", t)).collect();
        prop_assert_eq!(whole.0, expected);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _outcome = read(&[&bytes]);
    }
}
