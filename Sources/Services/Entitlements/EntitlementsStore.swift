internal import AppStoreModel
internal import EntitlementRules
internal import PipelineRuntime
internal import SQLite
internal import Synchronization

/// The state of every chain, in SQLite. Everything in it can be built again from Kafka.
///
/// Writing blocks its thread on the disk and on other writers of the process; it is called from the runtime's own
/// threads.
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
    init(path: String) throws(EntitlementsStoreError) {
        self.path = path
        do {
            let database = try Database(path: path)
            try database.migrate(Self.migrations)
            self.database = Mutex(database)
        } catch {
            throw EntitlementsStoreError(error)
        }
    }

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

    /// Merges facts into what is known, in one transaction. Nothing is changed when it throws.
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

/// Why the store could not do something. The records at hand are never at fault, so the runtime tries again.
struct EntitlementsStoreError: InfrastructureFault, CustomStringConvertible {
    enum Code: Sendable, Equatable {
        /// Another process writes to the file.
        case ownedByAnother
        /// The file is damaged, or no database.
        case damaged
        /// A newer version of this program wrote it.
        case newer
        /// The disk, a lock, or anything else of SQLite.
        case sqlite
    }

    let code: Code
    let message: String

    init(_ error: any Error) {
        switch error {
        case let error as SQLiteError:
            code =
                if error.code == .ownedByAnother { .ownedByAnother } else if error.isCorrupt {
                    .damaged
                } else if error
                    .code == .newerSchema
                { .newer } else { .sqlite }
            message = error.message
        case let error as ChainFormatError:
            code = error.code == .unknownFormat ? .newer : .damaged
            message = "a row is not readable: \(error.code.rawValue)"
        default:
            code = .sqlite
            message = "\(error)"
        }
    }

    var description: String { message }
}
