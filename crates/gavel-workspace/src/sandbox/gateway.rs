//! The only way out of an install step's network: a listening socket that is made inside and served
//! outside.
//!
//! A socket belongs to the network in which it was made, whoever holds it. So the last stage before
//! the command makes one on the private loopback and hands it to Gavel, which accepts on it and dials
//! from the host's network. The command never holds it.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::AsFd;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use tokio::io::Interest;
use tokio::net::UnixStream;

use super::exec::{Broken, Stage};

/// What programs are told. Nobody else is in that network, so that the port can be the same always.
pub(super) const PROXY: &str = "http://127.0.0.1:3128";
/// The host of the same.
pub(crate) const PROXY_HOST: Ipv4Addr = Ipv4Addr::LOCALHOST;
/// The port of the same.
pub(crate) const PROXY_PORT: u16 = 3128;

const STAGE: &str = "opening the way to the registries";

/// Makes the socket in this process's network and hands it over standard input, which is the
/// supervisor's own line to Gavel.
pub(super) fn hand_over() -> Result<(), Broken> {
    let listener = TcpListener::bind((PROXY_HOST, PROXY_PORT)).stage(STAGE)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut message = SendAncillaryBuffer::new(&mut space);
    let sockets = [listener.as_fd()];
    if !message.push(SendAncillaryMessage::ScmRights(&sockets)) {
        return Err("the message has no space").stage(STAGE);
    }
    let body = [IoSlice::new(b"s")];
    sendmsg(io::stdin(), &body, &mut message, SendFlags::NOSIGNAL).stage(STAGE)?;
    Ok(())
}

/// Waits for the socket; an error when the command ends without having sent one.
pub(crate) async fn receive(line: UnixStream) -> io::Result<TcpListener> {
    line.async_io(Interest::READABLE, || {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut message = RecvAncillaryBuffer::new(&mut space);
        let mut body = [0; 1];
        let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
        recvmsg(
            &line,
            &mut [IoSliceMut::new(&mut body)],
            &mut message,
            flags,
        )?;
        for part in message.drain() {
            if let RecvAncillaryMessage::ScmRights(mut sockets) = part
                && let Some(socket) = sockets.next()
            {
                return Ok(TcpListener::from(socket));
            }
        }
        Err(io::ErrorKind::UnexpectedEof.into())
    })
    .await
}
