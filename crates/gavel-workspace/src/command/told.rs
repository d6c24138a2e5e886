//! Reads a supervisor's report: how did the command end?

use super::{CommandError, CommandSpec, Exit};
use crate::sandbox::{Ending, Event, HttpAnswer};
use gavel_rules::examples::StepSeen;

/// What the stages of a sandbox told.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// The Landlock interface that was in force.
    pub(super) landlock_abi: u8,
    /// What a program that listens answered.
    pub(super) answer: Option<HttpAnswer>,
    /// What was seen of the steps of a session.
    pub(super) steps: Vec<StepSeen>,
    confined: bool,
    not_confined: Option<(String, String)>,
    not_started: Option<(String, bool)>,
    exited: Option<Exit>,
    ended: Option<Ending>,
    noise: String,
}

impl Told {
    pub(super) fn read(report: &str) -> Self {
        let (events, noise) = Event::read_all(report);
        let mut told = Self {
            noise,
            ..Self::default()
        };
        for event in events {
            told.take(event);
        }
        told
    }

    fn take(&mut self, event: Event) {
        match event {
            Event::Confined { landlock_abi } => {
                self.confined = true;
                self.landlock_abi = landlock_abi;
            }
            Event::NotConfined { stage, detail } => {
                self.not_confined.get_or_insert((stage, detail));
            }
            Event::NotStarted { detail, missing } => self.not_started = Some((detail, missing)),
            Event::Exited { code, signal } => {
                self.exited = code.map(Exit::Code).or(signal.map(Exit::Signal));
            }
            Event::Probed { answer } => self.answer = Some(answer),
            Event::Stepped { seen } => self.steps.push(seen),
            Event::Ended { why, killed: _ } => self.ended = Some(why),
        }
    }

    /// The end of the command, or why it had none of its own.
    pub(super) fn exit(self, spec: &CommandSpec, flood: bool) -> Result<Exit, CommandError> {
        if let Some((stage, detail)) = self.not_confined {
            return Err(CommandError::NotConfined { stage, detail });
        }
        let program = spec.argv.program().to_owned();
        match self.not_started {
            Some((_, true)) => return Err(CommandError::NotFound { program }),
            Some((detail, false)) => return Err(CommandError::NotStarted { program, detail }),
            None => {}
        }
        match (self.ended, self.exited) {
            (Some(Ending::Exited), Some(exit)) if self.confined => Ok(exit),
            (Some(Ending::Deadline), _) => Ok(Exit::Deadline),
            (Some(Ending::Tasks), _) => Ok(Exit::Tasks),
            (Some(Ending::Memory), _) => Ok(Exit::Memory),
            (Some(Ending::Disk), _) => Ok(Exit::Disk {
                allowed: spec.policy.limits.disk_bytes,
            }),
            (Some(Ending::Released), _) if flood => Ok(Exit::Flood),
            (Some(Ending::Released), _) if spec.cancel.is_cancelled() => {
                Err(CommandError::Cancelled)
            }
            (Some(Ending::Exited | Ending::Released) | None, _) => Err(CommandError::Lost {
                said: self.noise.trim().to_owned(),
            }),
        }
    }
}
