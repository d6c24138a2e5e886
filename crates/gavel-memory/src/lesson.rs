//! Ids of what a run learned: the same lesson has the same ids wherever and however often it is kept,
//! so that keeping it twice, or in two clones, is keeping it once.

use gavel_domain::{Digest, RunId, Timestamp};
use uuid::{Builder, Uuid};

use crate::id::{ItemId, Kind};

/// Where a lesson comes from: the record of a run that proposes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LessonOrigin<'a> {
    /// The run.
    pub run: RunId,
    /// The key of the record.
    pub key: &'a str,
    /// When it was written.
    pub at: Timestamp,
}

impl LessonOrigin<'_> {
    /// The id that the lesson has as an item.
    pub fn item(&self, kind: Kind) -> ItemId {
        ItemId::new(kind, self.uuid("keep", 0))
    }

    /// Ids for the one file that keeps it; the first is that of the item.
    pub fn keeping(self) -> impl FnMut() -> Uuid + Send {
        self.counted("keep")
    }

    /// Ids for showing it before anybody decided; the first is that of the item.
    pub fn offering(self) -> impl FnMut() -> Uuid + Send {
        let mut first = Some(self.uuid("keep", 0));
        let mut more = self.counted("offer");
        move || first.take().unwrap_or_else(&mut more)
    }

    /// Ids for the one file that refuses it.
    pub fn refusing(self) -> impl FnMut() -> Uuid + Send {
        self.counted("refuse")
    }

    fn counted(self, purpose: &'static str) -> impl FnMut() -> Uuid + Send {
        let (run, key, at) = (self.run, self.key.to_owned(), self.at);
        let mut number = 0;
        move || {
            let key = key.as_str();
            let id = LessonOrigin { run, key, at }.uuid(purpose, number);
            number += 1;
            id
        }
    }

    /// A UUIDv7 of the moment of the record, with a digest where chance would be.
    fn uuid(&self, purpose: &str, number: u32) -> Uuid {
        let run = self.run.to_string();
        let number = number.to_string();
        let fields = [&*run, self.key, purpose, &*number].map(str::as_bytes);
        let digest = Digest::of_fields(fields);
        let mut tail = [0; 10];
        for (place, byte) in tail.iter_mut().zip(digest.bytes()) {
            *place = *byte;
        }
        let millis = u64::try_from(self.at.as_millisecond()).unwrap_or_default();
        Builder::from_unix_timestamp_millis(millis, &tail).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_lesson_has_the_same_ids_and_another_has_others() {
        let run: RunId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        let at: Timestamp = "2026-11-15T12:00:00Z".parse().unwrap();
        let origin = |key| LessonOrigin { run, key, at };
        let first = origin("lessons-1/lesson-1");
        let mut ids = first.keeping();
        let drawn = [ids(), ids(), ids()];
        assert_eq!(first.item(Kind::Trap), ItemId::new(Kind::Trap, drawn[0]));
        let mut again = first.keeping();
        assert_eq!([again(), again(), again()], drawn);
        assert!(drawn[0] != drawn[1] && drawn[1] != drawn[2]);
        assert_ne!(origin("lessons-1/lesson-2").keeping()(), drawn[0]);
        assert_ne!(first.refusing()(), drawn[0]);
        let mut offered = first.offering();
        assert_eq!(offered(), drawn[0], "the same item");
        assert!(!drawn.contains(&offered()), "and another event");
        assert_eq!(drawn[0].get_version_num(), 7);
        assert!(
            drawn[0].to_string().starts_with("01a1df14-"),
            "{}",
            drawn[0]
        );
    }
}
