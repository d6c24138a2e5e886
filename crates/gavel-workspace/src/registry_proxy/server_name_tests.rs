use proptest::prelude::*;

use super::*;

fn with_length(width: usize, body: &[u8]) -> Vec<u8> {
    let length = u32::try_from(body.len()).unwrap().to_be_bytes();
    [&length[4 - width..], body].concat()
}

fn extension(kind: u16, body: &[u8]) -> Vec<u8> {
    [kind.to_be_bytes().to_vec(), with_length(2, body)].concat()
}

fn server_name(name: &str) -> Vec<u8> {
    let entry = [vec![0], with_length(2, name.as_bytes())].concat();
    extension(0, &with_length(2, &entry))
}

/// The beginning of a connection, in records of this size.
fn hello_of(extensions: &[Vec<u8>], record: usize) -> Vec<u8> {
    let mut message = vec![3, 3];
    message.extend([7; 32]);
    message.extend(with_length(1, &[9; 32]));
    message.extend(with_length(2, &[0x13, 0x01]));
    message.extend(with_length(1, &[0]));
    message.extend(with_length(2, &extensions.concat()));
    let handshake = [vec![1], with_length(3, &message)].concat();
    let records = handshake.chunks(record);
    records
        .flat_map(|part| [vec![22, 3, 1], with_length(2, part)].concat())
        .collect()
}

/// The same for one host.
pub(in crate::registry_proxy) fn hello_for(name: &str) -> Vec<u8> {
    hello_of(&[server_name(name)], 16_000)
}

fn read_all(bytes: &[u8]) -> Beginning {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let mut client = bytes;
    let mut read_so_far = Vec::new();
    runtime
        .block_on(read(&mut client, &mut read_so_far))
        .unwrap()
}

fn tls(name: &str) -> Beginning {
    Beginning::Tls(Some(name.to_owned()))
}

#[test]
fn the_name_is_found_however_the_message_is_cut() {
    let extensions = [
        extension(10, &[0, 2, 0, 29]),
        server_name("Registry.Example."),
    ];
    for record in [1, 7, 100, 16_000] {
        assert_eq!(
            read_all(&hello_of(&extensions, record)),
            tls("registry.example")
        );
    }
}

#[test]
fn what_hides_the_name_is_not_read() {
    let one = server_name("a.example");
    assert_eq!(read_all(&hello_of(&[], 1000)), Beginning::Tls(None));
    let twice = [one.clone(), server_name("b.example")];
    assert_eq!(read_all(&hello_of(&twice, 1000)), Beginning::Unread);
    let whole = hello_of(&[one], 1000);
    assert_eq!(read_all(&whole[..whole.len() - 1]), Beginning::Unread);
    assert_eq!(read_all(b"GET / HTTP/1.1\r\n"), Beginning::Plain);
    assert_eq!(read_all(b""), Beginning::Plain);
    let two_names = [
        vec![0],
        with_length(2, b"a.example"),
        vec![0],
        with_length(2, b"b.example"),
    ]
    .concat();
    let list = extension(0, &with_length(2, &two_names));
    assert_eq!(read_all(&hello_of(&[list], 1000)), Beginning::Unread);
}

proptest! {
    #[test]
    fn nothing_that_comes_is_a_bug(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        drop(read_all(&bytes));
        drop(read_all(&[&[22, 3, 1], bytes.as_slice()].concat()));
    }
}
