internal import AppStoreModel
internal import EntitlementRules
internal import SQLite
internal import Synchronization

/// The state of every chain, in SQLite. Everything in it can be built again from Kafka.
///
/// Every call blocks its thread on the disk and on the other callers: merges come from the runtime's own threads, the
/// rest from start and stop.
final class EntitlementsStore: Sendable {
    /// What a merge did, for metrics.
    struct Merge: Sendable, Equatable {
        var changed = 0
        var late = 0
        var disagreements = 0
    }

    fileprivate struct Key: Hashable {
        let environment: AppStoreEnvironment
        let bundleId: BundleId
        let originalTransactionId: OriginalTransactionId
    }

    private static let migrations = [
        Migration(
            """
            CREATE TABLE chains (
                environment TEXT NOT NULL,
                original_transaction_id TEXT NOT NULL,
                bundle_id TEXT NOT NULL,
                app_account_token TEXT,
                app_transaction_id TEXT,
                facts BLOB NOT NULL,
                PRIMARY KEY (environment, original_transaction_id, bundle_id)
            );
            -- One row once the group was found to be at the beginning when this file was new.
            CREATE TABLE complete_from_start (since INTEGER NOT NULL);
            CREATE INDEX chains_by_account ON chains (environment, app_account_token)
                WHERE app_account_token IS NOT NULL;
            CREATE INDEX chains_by_app_transaction ON chains (environment, app_transaction_id)
                WHERE app_transaction_id IS NOT NULL;
            """)
    ]

    let path: String
    private let database: Mutex<Database>

    /// Opens or makes the database.
    ///
    /// - Throws: ``EntitlementsStoreError``: owned by another process, damaged, written by a newer version, or not to
    ///   be opened.
    convenience init(path: String) throws(EntitlementsStoreError) {
        let database: Database
        do { database = try Database(path: path) } catch { throw EntitlementsStoreError(error) }
        try self.init(database)
    }

    /// Takes over an open database and brings its schema up to date.
    init(_ database: sending Database) throws(EntitlementsStoreError) {
        path = database.path
        do {
            // A batch is done when it survives a power loss, for the group's offset does: the log is not read again.
            try database.executeScript("PRAGMA synchronous=FULL")
            try database.migrate(Self.migrations)
        } catch {
            throw EntitlementsStoreError(error)
        }
        self.database = Mutex(database)
    }

    /// Everything afterwards fails.
    func close() { database.withLock { $0.close() } }

    /// Whether the file holds what the group has read since the beginning of the log.
    func isCompleteFromStart() throws(EntitlementsStoreError) -> Bool {
        do {
            return try database.withLock { database in
                try database.firstRow("SELECT since FROM complete_from_start") { row in try row.integer(0) } != nil
            }
        } catch {
            throw EntitlementsStoreError(error)
        }
    }

    /// Notes that nothing was read before this file was made. `now` in milliseconds since 1970.
    func markCompleteFromStart(at now: Int64) throws(EntitlementsStoreError) {
        do {
            try database.withLock { database in
                try database.run("INSERT INTO complete_from_start (since) VALUES (?)", [.integer(now)])
            }
        } catch {
            throw EntitlementsStoreError(error)
        }
    }

    /// Merges facts into what is known, in one transaction: durable when it returns, and nothing changed when it throws.
    ///
    /// - Throws: ``EntitlementsStoreError``; `damaged` or `newer` also for a stored row that cannot be read, which is
    ///   never overwritten.
    func merge(_ facts: [ChainFacts]) throws(EntitlementsStoreError) -> Merge {
        guard !facts.isEmpty else { return Merge() }
        var incoming: [Key: [ChainFacts]] = [:]
        for facts in facts { incoming[Key(facts), default: []].append(facts) }
        do {
            return try database.withLock { database in
                try database.transaction {
                    var merge = Merge()
                    for (key, facts) in incoming { try Self.merge(facts, at: key, in: database, &merge) }
                    return merge
                }
            }
        } catch {
            throw EntitlementsStoreError(error)
        }
    }

    private static func merge(
        _ incoming: [ChainFacts], at key: Key, in database: Database, _ merge: inout Merge
    ) throws {
        let known = try database.firstRow(
            "SELECT facts FROM chains WHERE environment = ? AND original_transaction_id = ? AND bundle_id = ?",
            [
                .text(key.environment.rawValue), .text(key.originalTransactionId.rawValue),
                .text(key.bundleId.rawValue),
            ]
        ) { row in try ChainFacts(json: row.blob(0)) }
        if let known, Key(known) != key {
            // Merging into another chain's facts would change nothing, and the record would be lost.
            throw EntitlementsStoreError(.damaged, "a row holds the facts of another chain")
        }
        var chain =
            known
            ?? ChainFacts(
                environment: key.environment, bundleId: key.bundleId, originalTransactionId: key.originalTransactionId)
        var isChanged = known == nil
        for facts in incoming {
            let outcome = chain.merge(facts)
            if outcome.changed { isChanged = true }
            if outcome.isLate { merge.late += 1 }
        }
        guard isChanged else { return }
        merge.changed += 1
        if chain.statusDisagrees { merge.disagreements += 1 }
        try database.run(
            """
            INSERT INTO chains (environment, original_transaction_id, bundle_id, app_account_token,
                app_transaction_id, facts) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET app_account_token = excluded.app_account_token,
                app_transaction_id = excluded.app_transaction_id, facts = excluded.facts
            """,
            [
                .text(key.environment.rawValue), .text(key.originalTransactionId.rawValue),
                .text(key.bundleId.rawValue),
                chain.appAccountToken.map { .text($0.rawValue) } ?? .null,
                chain.appTransactionId.map { .text($0.rawValue) } ?? .null, .blob(chain.jsonText),
            ])
    }
}

extension EntitlementsStore.Key {
    fileprivate init(_ facts: ChainFacts) {
        environment = facts.environment
        bundleId = facts.bundleId
        originalTransactionId = facts.originalTransactionId
    }
}
