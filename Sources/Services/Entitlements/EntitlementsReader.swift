internal import AppStoreModel
internal import Dispatch
internal import EntitlementRules
internal import NotificationRecord
internal import SQLite

/// Reads the store for the read API, on a queue and a connection of its own, so that a reader never waits for a writer.
final class EntitlementsReader: Sendable {
    /// Whose entitlements are asked for.
    enum Subject: Sendable, Equatable {
        case appAccountToken(AppAccountToken)
        case originalTransactionId(OriginalTransactionId)
    }

    /// What was found.
    enum Found: Sendable {
        case chains([ChainFacts])
        /// More than one answer may have: nobody gets an answer from a part of them.
        case tooMany
    }

    /// Chains of one answer. Most accounts have a handful; every consumable that is bought is a chain of its own.
    let maximumChains: Int

    private let queue = DispatchQueue(label: "entitlements.reader")
    private let connection: ReaderConnection

    init(path: String, maximumChains: Int = 10_000) throws(EntitlementsStoreError) {
        self.maximumChains = maximumChains
        do {
            connection = ReaderConnection(try Database(path: path, access: .reader))
        } catch {
            throw EntitlementsStoreError(error)
        }
    }

    /// Finds the chains of a subject, and calls `then` on the reader's queue. How many may wait is the listener's bound.
    func chains(
        of subject: Subject, environment: RecordEnvironment, bundleId: BundleId?,
        then: @escaping @Sendable (Result<Found, EntitlementsStoreError>) -> Void
    ) {
        queue.async { [connection, maximumChains] in
            do {
                let found = try Self.chains(
                    of: subject, environment, bundleId, atMost: maximumChains, in: connection.database)
                then(.success(found))
            } catch {
                then(.failure(EntitlementsStoreError(error)))
            }
        }
    }

    /// Closes the connection after what was asked before.
    func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [connection] in
                connection.database.close()
                continuation.resume()
            }
        }
    }

    private static func chains(
        of subject: Subject, _ environment: RecordEnvironment, _ bundleId: BundleId?, atMost maximumChains: Int,
        in database: Database
    ) throws -> Found {
        let (column, value) =
            switch subject {
            case .appAccountToken(let token): ("app_account_token", token.rawValue)
            case .originalTransactionId(let id): ("original_transaction_id", id.rawValue)
            }
        let ofBundle = bundleId == nil ? "" : " AND bundle_id = ?"
        let chains = try database.rows(
            "SELECT facts FROM chains WHERE environment = ? AND \(column) = ?\(ofBundle) LIMIT \(maximumChains + 1)",
            [.text(environment.rawValue), .text(value)] + (bundleId.map { [.text($0.rawValue)] } ?? [])
        ) { row in try ChainFacts(json: row.blob(0)) }
        return chains.count > maximumChains ? .tooMany : .chains(chains)
    }
}

/// The connection of the reader's queue.
private final class ReaderConnection: @unchecked Sendable {
    // @unchecked Sendable because only blocks of the reader's serial queue touch the database.
    let database: Database

    init(_ database: Database) { self.database = database }
}
