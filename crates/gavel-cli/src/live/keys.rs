//! What is typed at the terminal, line by line, and never ahead of a question.
//!
//! Nothing is read before somebody waits for a line, so whatever was typed earlier is still with the
//! terminal, and can be forgotten there as a whole.

use std::io;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::termios::{QueueSelector, tcflush};

/// More than a terminal gives at once.
const CHUNK: usize = 8_192;
/// How often the terminal is looked at while somebody waits for a line: nobody notices it. A thread
/// that waits in a read instead would take a line that nobody waits for any more.
const LOOK: Duration = Duration::from_millis(20);

/// The keyboard behind standard input, which is a terminal.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    /// The beginning of a line whose end is still to come.
    begun: Vec<u8>,
}

impl Keys {
    /// Forgets everything that was typed until now.
    pub(crate) fn forget(&mut self) -> io::Result<()> {
        self.begun.clear();
        Ok(tcflush(io::stdin(), QueueSelector::IFlush)?)
    }

    /// The next line, without its end; `None` when nothing more will come.
    pub(crate) async fn line(&mut self) -> io::Result<Option<String>> {
        loop {
            if !is_readable()? {
                tokio::time::sleep(LOOK).await;
                continue;
            }
            let mut chunk = [0; CHUNK];
            let count = match rustix::io::read(io::stdin(), &mut chunk) {
                Ok(count) => count,
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            };
            if count == 0 {
                return Ok(None);
            }
            self.begun.extend(chunk.iter().take(count));
            if self.begun.ends_with(b"\n") {
                let line = std::mem::take(&mut self.begun);
                let line = String::from_utf8_lossy(&line);
                return Ok(Some(line.trim_end_matches(['\n', '\r']).to_owned()));
            }
        }
    }
}

/// True when reading would not wait.
fn is_readable() -> io::Result<bool> {
    let terminal = io::stdin();
    let mut waits = [PollFd::new(&terminal, PollFlags::IN)];
    match poll(&mut waits, Some(&Timespec::default())) {
        Ok(count) => Ok(count > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
