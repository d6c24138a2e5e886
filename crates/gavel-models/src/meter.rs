//! The output meter: cuts a stream that went past the maximum it was given.
//!
//! Providers hold the maximum themselves; this is for servers that do not. It must never cut a reply
//! that kept to it, since a cut reply is paid for and bought again. So it counts a lower bound: by
//! the vocabulary where it is public, else by bytes, as if every token were 16 bytes long (prose has
//! 4, source code 3, long runs of blanks more).

use gavel_domain::Tokens;

use crate::error::bad_reply;
use crate::tokenizer::Tokenizer;
use crate::{BadReply, CallError, Request};

/// What an unknown vocabulary is taken to pack into one token.
const BYTES_PER_TOKEN: u64 = 16;

/// Room for a few long tokens at the very beginning.
const SLACK_BYTES: u64 = 1024;

/// Counts the output of one reply.
#[derive(Debug)]
pub(crate) struct OutputMeter {
    max: Tokens,
    tokenizer: Tokenizer,
    bytes: u64,
    /// The output itself, kept only when it can be counted.
    output: String,
    /// The size at which the output is counted next.
    count_at: u64,
}

impl OutputMeter {
    /// A meter for the reply to this request.
    pub(crate) fn new(request: &Request) -> Self {
        let max = request.limits.max_output;
        Self {
            max,
            tokenizer: Tokenizer::of(&request.model),
            bytes: 0,
            output: String::new(),
            // A token has at least one byte: below this size nothing needs counting.
            count_at: max.0.saturating_mul(2).saturating_add(SLACK_BYTES),
        }
    }

    /// Adds a piece, and says when the output is past the maximum.
    pub(crate) fn add(&mut self, piece: &str) -> Result<(), CallError> {
        self.bytes = self.bytes.saturating_add(piece.len() as u64);
        let limit = self.max.0.saturating_mul(BYTES_PER_TOKEN);
        let past = match self.tokenizer {
            Tokenizer::Unknown => self.bytes > limit.saturating_add(SLACK_BYTES),
            Tokenizer::O200k | Tokenizer::Cl100k => {
                self.output.push_str(piece);
                self.bytes >= self.count_at && self.recount()
            }
        };
        if past {
            let message = format!(
                "cut after {} bytes, maximum {} tokens",
                self.bytes, self.max
            );
            return Err(bad_reply(BadReply::TooLong, &message));
        }
        Ok(())
    }

    /// Counts all output again; the sizes at which this happens grow by an eighth each time.
    fn recount(&mut self) -> bool {
        self.count_at = self.bytes.saturating_add(self.bytes / 8);
        self.tokenizer
            .count(&self.output)
            .is_some_and(|tokens| tokens > self.max)
    }
}

#[cfg(test)]
#[path = "meter_tests.rs"]
mod tests;
