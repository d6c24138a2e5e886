//! Blobs.

use gavel_domain::Digest;
use gavel_store::ReadError;

use super::StoreUnderTest;
use super::driver::{Driver, Plan};

/// The same content is kept once, whoever brings it; any bytes come back as they were.
pub async fn the_same_blob_is_kept_once<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let large: Vec<u8> = (0..=255).cycle().take(300_000).collect();
    let mut drivers = [Driver::start(&store).await, Driver::start(&store).await];
    for (n, note) in [(0, "a"), (1, "a"), (0, "b")] {
        let driver: &mut Driver = &mut drivers[n];
        let plan = Plan::new().note(note).blob(&large).blob(b"").blob(&large);
        driver.commit(&store, plan).await.unwrap();
    }
    for content in [&large[..], b""] {
        let read = store.blob(Digest::of(content)).await.unwrap();
        assert!(read.as_deref() == Some(content));
    }
    assert_eq!(subject.check().await, [""; 0]);
}

/// Content that does not match its name is never handed out.
pub async fn a_damaged_blob_is_told<S: StoreUnderTest>() {
    let subject = S::fresh();
    let store = subject.open().await;
    let mut driver = Driver::start(&store).await;
    let plan = Plan::new().note("a").blob(b"good").blob(b"other");
    driver.commit(&store, plan).await.unwrap();
    let name = Digest::of(b"good");
    subject.damage_blob(name).await;
    let error = store.blob(name).await.unwrap_err();
    let told = matches!(error, ReadError::DamagedBlob { digest } if digest == name);
    assert!(told, "{error}");
    let other = store.blob(Digest::of(b"other")).await.unwrap();
    assert_eq!(other.as_deref(), Some(&b"other"[..]));
    let damage = subject.check().await;
    assert_eq!(damage.len(), 1, "{damage:?}");
    assert!(damage[0].contains(&name.to_string()), "{damage:?}");
}
