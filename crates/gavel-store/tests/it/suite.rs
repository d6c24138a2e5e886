//! The suite that every store must pass.

use std::path::PathBuf;
use std::sync::Arc;

use gavel_domain::Digest;
use gavel_store::{Access, SqliteStore, StatementHook, Store, StoreOptions};
use gavel_testkit::store_suite;
use gavel_testkit::store_suite::StoreUnderTest;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use tempfile::TempDir;

/// A store in a folder of its own.
struct Sqlite {
    folder: PathBuf,
    _removed: Option<TempDir>,
}

impl StoreUnderTest for Sqlite {
    fn fresh() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            folder: folder.path().join("state"),
            _removed: Some(folder),
        }
    }

    fn at(place: &str) -> Self {
        Self {
            folder: place.into(),
            _removed: None,
        }
    }

    fn place(&self) -> String {
        self.folder.to_str().unwrap().to_owned()
    }

    async fn open_hooked(&self, hook: Option<StatementHook>) -> Arc<dyn Store> {
        let mut options = StoreOptions::new(&self.folder, Access::ReadWrite);
        options.on_statement = hook;
        Arc::new(SqliteStore::open(options).await.unwrap())
    }

    async fn check(&self) -> Vec<String> {
        let options = StoreOptions::new(&self.folder, Access::ReadOnly);
        let store = SqliteStore::open(options).await.unwrap();
        let damage = store.check().await.unwrap();
        damage.iter().map(ToString::to_string).collect()
    }

    fn holds(&self, bytes: &[u8]) -> bool {
        let files = std::fs::read_dir(&self.folder).unwrap();
        let files = files.map(|file| file.unwrap().path());
        files.filter(|path| path.is_file()).any(|path| {
            let content = std::fs::read(path).unwrap();
            content.windows(bytes.len()).any(|part| part == bytes)
        })
    }

    async fn damage_blob(&self, name: Digest) {
        let options = SqliteConnectOptions::new().filename(self.folder.join("gavel.db"));
        let mut conn = options.connect().await.unwrap();
        let changed = sqlx::query("UPDATE blobs SET content = x'00' WHERE digest = ?")
            .bind(name.to_string())
            .execute(&mut conn)
            .await
            .unwrap();
        assert_eq!(changed.rows_affected(), 1);
        conn.close().await.unwrap();
    }
}

store_suite!(Sqlite);
