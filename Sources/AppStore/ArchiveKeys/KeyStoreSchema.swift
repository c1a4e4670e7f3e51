internal import SQLite

/// The key store's tables.
///
/// No row of `data_keys` is deleted or changes its size: keys are appended, wrapped again, or overwritten with zeros where
/// they are. SQLite then moves none to another page, and so leaves no copy in unused bytes of a page, which
/// `secure_delete` does not reach. No index holds a key.
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

    /// Keys that every host has: a subject may have several, in the order of the keys topic. What the earlier version made
    /// is due to be published. The columns are in a table of their own, so that no row of `data_keys` changes its size.
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

/// The names in the table `store`.
enum KeyStoreValue: String {
    /// The wrapped key of marks, and which key wrapped it.
    case marks
    case marksWrapping = "marks.wrapping"
    /// Counts what destroys keys or begins and ends holds, so that other processes notice.
    case changes
    /// The next offset of the erasures topic.
    case erasuresNext = "erasures.next"
    /// The next offset of the keys topic, and the cluster that it is of.
    case keysNext = "keys.next"
    case keysCluster = "keys.cluster"
    /// 1 while the keys topic is not known to have the key of marks as this store has it.
    case marksDue = "marks.due"
    /// 1 in a store that was made beside an archive with logs, until a record of the keys topic was read.
    case joining
}
