//! Stopping a drive: softly between two steps, or at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;

/// Stops a drive. Clones stop the same drive.
///
/// `pause` lets steps that are under way finish; `cut` drops them, and what was sent to a provider
/// is booked as lost.
#[derive(Debug, Clone, Default)]
pub struct StopHandle {
    soft: CancellationToken,
    cut: CancellationToken,
    aborted: Arc<AtomicBool>,
}

impl StopHandle {
    /// A handle that nobody has used.
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops before the next step.
    pub fn pause(&self) {
        self.soft.cancel();
    }

    /// Stops at once.
    pub fn cut(&self) {
        self.soft.cancel();
        self.cut.cancel();
    }

    pub(crate) fn abort(&self) {
        self.aborted.store(true, Ordering::SeqCst);
        self.cut();
    }

    pub(crate) fn is_aborted(&self) -> bool {
        self.aborted.load(Ordering::SeqCst)
    }

    /// True once somebody asked to stop.
    pub fn is_pausing(&self) -> bool {
        self.soft.is_cancelled()
    }

    pub(crate) async fn pausing(&self) {
        self.soft.cancelled().await;
    }

    pub(crate) async fn cutting(&self) {
        self.cut.cancelled().await;
    }
}
