//! The suite that every store must pass. A behaviour that is not in it is not promised.
//!
//! A store's tests implement [`StoreUnderTest`] and call [`store_suite!`](macro@crate::store_suite) once;
//! each case becomes a test of its own. Some cases start the test binary again as another process,
//! and kill it.
#![expect(
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a case fails by panicking, as tests do"
)]

pub mod blobs;
pub mod crash;
pub mod crash_parts;
mod driver;
pub mod inbox;
pub mod journal;
pub mod lease;
pub mod ledger;
pub mod ledger_race;
pub mod memory;
pub mod refusal;
pub mod retire;

use std::sync::Arc;

use gavel_store::{StatementHook, Store};

pub use driver::{Driver, Plan, holder, key, moment, new_run, project, started};

/// A store, and how the suite gets more of it.
pub trait StoreUnderTest: Sized + Send + Sync + 'static {
    /// An empty store in a place of its own, which is gone when the value is dropped.
    fn fresh() -> Self;

    /// The store at that place, for another process than the one that made it.
    fn at(place: &str) -> Self;

    /// The place, for [`Self::at`].
    fn place(&self) -> String;

    /// Opens one more handle.
    fn open(&self) -> impl Future<Output = Arc<dyn Store>> + Send {
        self.open_hooked(None)
    }

    /// Opens a handle that calls the hook before each statement of a commit and after its end.
    fn open_hooked(
        &self,
        hook: Option<StatementHook>,
    ) -> impl Future<Output = Arc<dyn Store>> + Send;

    /// Looks for damage everywhere and puts it into words.
    fn check(&self) -> impl Future<Output = Vec<String>> + Send;

    /// True when any file of the store holds these bytes.
    fn holds(&self, bytes: &[u8]) -> bool;

    /// Changes the content of that blob behind the store's back.
    fn damage_blob(&self, name: gavel_domain::Digest) -> impl Future<Output = ()> + Send;
}

/// Makes one test of each case of the suite, for a type that is a
/// [`StoreUnderTest`](crate::store_suite::StoreUnderTest).
#[macro_export]
macro_rules! store_suite {
    ($subject:ty) => {
        $crate::store_suite!(@cases $subject,
            journal: places_are_gapless, keys_are_unique, a_writer_that_is_behind_conflicts,
                heads_are_what_records_fold_to, heads_come_newest_first, records_come_in_pages,
                unknown_kinds_and_exact_bytes_are_kept, all_is_there_after_reopening,
                an_unknown_run_is_empty;
            lease: a_second_driver_is_refused, a_dropped_lease_is_free,
                a_lost_lease_writes_nothing, every_lease_has_a_new_epoch;
            blobs: the_same_blob_is_kept_once, a_damaged_blob_is_told;
            refusal: each_refusal_writes_nothing, a_batch_must_fit_together,
                amounts_that_would_wrap_are_refused;
            inbox: posting_twice_is_posting_once, posts_need_a_run, pending_keeps_the_order,
                the_first_answer_takes_the_slot, a_refused_answer_frees_the_slot,
                fate_tells_what_became_of_a_row, a_row_is_taken_once;
            ledger: a_call_moves_once, totals_are_sums_of_rows, caps_are_exact_to_one,
                a_month_spans_runs, calls_come_oldest_first, the_month_that_reserved_pays,
                a_claim_is_kept_apart;
            ledger_race: handles_race_for_a_month, random_interleavings_keep_the_caps;
            memory: agents_are_known_per_project, lines_are_kept_once_per_project,
                a_dropped_line_is_gone,
                a_replaced_line_leaves_no_trace, writers_of_lines_lose_nothing;
            retire: retention_keeps_chains, a_blob_in_use_stays, purge_keeps_the_ledger,
                only_finished_runs_are_purged, a_damaged_run_is_purged_before_its_end;
        );

        /// What happens in other processes. Run by itself, each part goes through in this one.
        mod other_process {
            use super::*;

            fn name(test: &str) -> String {
                let path = concat!(module_path!(), "::");
                let (_, path) = path.split_once("::").unwrap_or(("", path));
                format!("{path}{test}")
            }

            #[tokio::test]
            async fn commit_part() {
                $crate::store_suite::crash_parts::commit_part::<$subject>().await;
            }

            #[tokio::test]
            async fn lease_part() {
                $crate::store_suite::crash_parts::lease_part::<$subject>().await;
            }

            #[tokio::test]
            async fn writers_part() {
                $crate::store_suite::crash_parts::writers_part::<$subject>().await;
            }

            #[tokio::test]
            async fn race_part() {
                $crate::store_suite::crash_parts::race_part::<$subject>().await;
            }

            #[tokio::test]
            async fn a_kill_between_any_two_statements_leaves_all_or_nothing() {
                let part = name("commit_part");
                $crate::store_suite::crash::all_or_nothing::<$subject>(&part).await;
            }

            #[tokio::test]
            async fn a_killed_driver_frees_its_lease() {
                let part = name("lease_part");
                $crate::store_suite::crash::lease_is_freed::<$subject>(&part).await;
            }

            #[tokio::test]
            async fn writers_killed_at_random_lose_nothing_acknowledged() {
                let part = name("writers_part");
                $crate::store_suite::crash::acknowledged_stays::<$subject>(&part).await;
            }

            #[tokio::test]
            async fn processes_race_for_a_month() {
                let part = name("race_part");
                $crate::store_suite::crash::race_for_a_month::<$subject>(&part).await;
            }
        }
    };
    (@cases $subject:ty, $($room:ident: $($case:ident),+;)+) => {
        $(mod $room {
            use super::*;

            $(#[tokio::test]
            async fn $case() {
                $crate::store_suite::$room::$case::<$subject>().await;
            })+
        })+
    };
}
