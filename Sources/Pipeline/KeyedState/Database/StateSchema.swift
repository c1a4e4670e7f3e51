internal import SQLite

/// The tables of a keyed state, which reflect a prefix of the state's topics.
enum StateSchema {
    static let migrations = [
        // Files from the first two versions also contained unpublished data. All of it can be read again from Kafka, so
        // the files are rebuilt.
        Migration("SELECT 1"),
        Migration("SELECT 1"),
        Migration(
            """
            DROP TABLE IF EXISTS marks; DROP TABLE IF EXISTS places; DROP TABLE IF EXISTS terms;
            DROP TABLE IF EXISTS rows; DROP TABLE IF EXISTS positions; DROP TABLE IF EXISTS runs;
            CREATE TABLE file (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
            CREATE TABLE topics (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
            CREATE TABLE positions (
                topic INTEGER NOT NULL, partition INTEGER NOT NULL,
                next INTEGER NOT NULL, -- offset up to which the topic was applied
                seen INTEGER NOT NULL, -- when, ms since 1970
                form INTEGER NOT NULL, -- fingerprint by which all rows are known to be published
                PRIMARY KEY (topic, partition)
            ) WITHOUT ROWID;
            CREATE TABLE rows (
                id INTEGER PRIMARY KEY,
                topic INTEGER NOT NULL,
                partition INTEGER NOT NULL,
                form INTEGER NOT NULL,   -- fingerprint by which the last record of the key was published
                behind INTEGER NOT NULL, -- 1: the last record of the key says less than the row
                due INTEGER,             -- when the owner has to publish again, ms since 1970
                deadline INTEGER,        -- when work on the row is due, ms since 1970
                proposal_offset INTEGER, -- of the winning proposal
                proposal BLOB,
                key BLOB NOT NULL,
                state BLOB NOT NULL,
                UNIQUE (topic, key)
            );
            CREATE INDEX rows_behind ON rows (topic, partition) WHERE behind;
            -- By the hour: an exact value would move with almost every change of a row.
            CREATE INDEX rows_due ON rows (topic, partition, due / 3600000) WHERE due IS NOT NULL;
            CREATE INDEX rows_deadline ON rows (topic, partition, deadline) WHERE deadline IS NOT NULL;
            -- States that were too large to publish, until they are published.
            CREATE TABLE oversized (
                topic INTEGER NOT NULL, partition INTEGER NOT NULL, key BLOB NOT NULL, state BLOB NOT NULL,
                PRIMARY KEY (topic, key)
            ) WITHOUT ROWID;
            CREATE TABLE entries (
                name TEXT NOT NULL, value TEXT NOT NULL, row INTEGER NOT NULL,
                PRIMARY KEY (name, value, row)
            ) WITHOUT ROWID;
            """),
        // Rows have more index entries than before, so they are read from the topics again.
        Migration("DELETE FROM entries; DELETE FROM rows; DELETE FROM positions;"),
        // The last record before the position, to detect that a topic was recreated.
        Migration(
            "ALTER TABLE positions ADD COLUMN last_offset INTEGER; ALTER TABLE positions ADD COLUMN last_digest INTEGER;"
        ),
        // The tables do not change. The new version keeps older versions of the program from opening a file with the
        // incomplete index of an interrupted restore. They would not notice that the index is incomplete.
        Migration("SELECT 1"),
        // The key index can be created after the rows, so it is not a table constraint. The rows are read from the
        // topics again.
        Migration(
            """
            DROP TABLE rows; DELETE FROM entries; DELETE FROM positions;
            CREATE TABLE rows (
                id INTEGER PRIMARY KEY,
                topic INTEGER NOT NULL,
                partition INTEGER NOT NULL,
                form INTEGER NOT NULL,   -- fingerprint with which the last record of the key was published
                behind INTEGER NOT NULL, -- 1: the last record of the key contains less than the row
                due INTEGER,             -- when the owner has to publish again, ms since 1970
                deadline INTEGER,        -- when work on the row is due, ms since 1970
                proposal_offset INTEGER, -- offset of the winning proposal
                proposal BLOB,
                key BLOB NOT NULL,
                state BLOB NOT NULL
            );
            CREATE INDEX rows_behind ON rows (topic, partition) WHERE behind;
            \(createIndexes)
            """),
    ]

    /// Creates the indexes that a restore creates after the rows.
    static let createIndexes = """
        CREATE UNIQUE INDEX IF NOT EXISTS rows_key ON rows (topic, key);
        -- By the hour: an exact value would move with almost every change of a row.
        CREATE INDEX IF NOT EXISTS rows_due ON rows (topic, partition, due / 3600000) WHERE due IS NOT NULL;
        CREATE INDEX IF NOT EXISTS rows_deadline ON rows (topic, partition, deadline) WHERE deadline IS NOT NULL;
        """

    /// Drops the key index, to which each restored row would be added.
    static let dropKeyIndex = "DROP INDEX IF EXISTS rows_key;"

    /// Drops the partial indexes.
    static let dropTimeIndexes = "DROP INDEX IF EXISTS rows_due; DROP INDEX IF EXISTS rows_deadline;"
}
