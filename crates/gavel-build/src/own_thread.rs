//! Work that takes long and waits for nothing: reading code, planting faults. It has a thread of its own,
//! so that a drive that is told to stop does not wait for it.

/// Does it as a call would, panics included. Given up, it goes on unheard until it is done or the process
/// ends: it must change nothing that anybody else looks at.
pub(crate) async fn on_own_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(lost) => match lost.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            // The runtime ends: whoever waits here is ended with it.
            Err(_ended) => std::future::pending().await,
        },
    }
}
