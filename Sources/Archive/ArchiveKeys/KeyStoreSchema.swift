internal import SQLite

/// The key store's tables.
///
/// Rows of `data_keys` are never deleted and never change size: keys are appended, and rewrapped or overwritten with
/// zeros in place. SQLite therefore never moves a row to another page, which would leave a copy in unused bytes that
/// `secure_delete` does not clear. No index contains a key.
enum KeyStoreSchema {
    static let migrations = [
        Migration(
            """
            CREATE TABLE store (name TEXT PRIMARY KEY NOT NULL, value NOT NULL);
            CREATE TABLE data_keys (
                number INTEGER PRIMARY KEY AUTOINCREMENT,
                id BLOB NOT NULL,        -- 16 bytes, of leaves
                mark BLOB NOT NULL,      -- 32 bytes: whose it is
                wrapping BLOB NOT NULL,  -- 8 bytes: which key wrapped it; zeros when it is destroyed
                wrapped BLOB NOT NULL    -- 60 bytes; zeros when it is destroyed
            );
            CREATE UNIQUE INDEX data_keys_by_id ON data_keys (id);
            CREATE UNIQUE INDEX data_keys_in_use ON data_keys (mark) WHERE wrapping <> x'0000000000000000';
            CREATE INDEX data_keys_by_mark ON data_keys (mark);
            CREATE INDEX data_keys_destroyed ON data_keys (id) WHERE wrapping = x'0000000000000000';
            CREATE TABLE erasures (
                mark BLOB PRIMARY KEY NOT NULL,
                up_to INTEGER NOT NULL,      -- milliseconds since 1970: what was signed until then gets no key
                reason TEXT NOT NULL,
                request TEXT NOT NULL
            );
            CREATE TABLE waiting_erasures (
                mark BLOB PRIMARY KEY NOT NULL, up_to INTEGER NOT NULL, reason TEXT NOT NULL, request TEXT NOT NULL
            );
            CREATE TABLE holds (
                mark BLOB PRIMARY KEY NOT NULL, since INTEGER NOT NULL, reason TEXT NOT NULL, request TEXT NOT NULL
            );
            """),
        sharing,
        Migration(
            """
            CREATE TABLE signed_heads (
                origin TEXT PRIMARY KEY NOT NULL,  -- of a log of the archive
                published BLOB,                    -- its newest note that is known to be published
                signed BLOB                        -- a newer one that was signed
            );
            """),
    ]

    /// Adds the key order shared by all hosts: a subject may have several keys, ordered as in the keys topic. Existing
    /// keys become due for publication. The new columns are in a separate table, so that rows of `data_keys` do not
    /// change size.
    static let sharing = Migration(
        """
        DROP INDEX data_keys_in_use;
        CREATE TABLE shared_keys (
            number INTEGER PRIMARY KEY,  -- of data_keys
            rank INTEGER,                -- place among the keys of the subject; null until the topic is known to have it
            erased_up_to INTEGER         -- up to when the subject was erased when the key was made
        );
        CREATE TABLE due_publications (mark BLOB PRIMARY KEY NOT NULL);
        INSERT INTO shared_keys (number, rank, erased_up_to)
            SELECT k.number, NULL, e.up_to FROM data_keys k LEFT JOIN erasures e ON e.mark = k.mark
            WHERE k.wrapping <> x'0000000000000000';
        INSERT INTO due_publications (mark)
            SELECT DISTINCT mark FROM data_keys WHERE wrapping <> x'0000000000000000';
        """)
}

/// The names of the rows in the `store` table.
enum KeyStoreValue: String {
    /// The wrapped pseudonym key, and the id of the key that wrapped it.
    case marks
    case marksWrapping = "marks.wrapping"
    /// Incremented when keys are destroyed, when a subject's key in use changes, or when holds begin or end, so that
    /// other processes notice the change.
    case changes
    /// The next offset to read from the erasures topic.
    case erasuresNext = "erasures.next"
    /// The next offset to read from the keys topic, and the cluster.
    case keysNext = "keys.next"
    case keysCluster = "keys.cluster"
    /// 1 until this store's pseudonym key has been read from the keys topic.
    case marksDue = "marks.due"
    /// 1 in a store created for an archive that already has logs, until it has read a record from the keys topic.
    case joining
}
