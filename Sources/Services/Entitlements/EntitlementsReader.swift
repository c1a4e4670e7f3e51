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

    /// Chains of one answer; an account has a handful.
    private static let maximumChains = 1000

    private let queue = DispatchQueue(label: "entitlements.reader")
    private let connection: ReaderConnection

    init(path: String) throws(EntitlementsStoreError) {
        do {
            connection = ReaderConnection(try Database(path: path, access: .reader))
        } catch {
            throw EntitlementsStoreError(error)
        }
    }

    /// Finds the chains of a subject, and calls `then` on the reader's queue.
    func chains(
        of subject: Subject, environment: RecordEnvironment, bundleId: BundleId?,
        then: @escaping @Sendable (Result<[ChainFacts], EntitlementsStoreError>) -> Void
    ) {
        queue.async { [connection] in
            do {
                let chains = try Self.chains(of: subject, environment, in: connection.database)
                then(.success(bundleId.map { wanted in chains.filter { $0.bundleId == wanted } } ?? chains))
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
        of subject: Subject, _ environment: RecordEnvironment, in database: Database
    ) throws -> [ChainFacts] {
        let (column, value) =
            switch subject {
            case .appAccountToken(let token): ("app_account_token", token.rawValue)
            case .originalTransactionId(let id): ("original_transaction_id", id.rawValue)
            }
        return try database.rows(
            "SELECT facts FROM chains WHERE environment = ? AND \(column) = ? LIMIT \(maximumChains)",
            [.text(environment.rawValue), .text(value)]
        ) { row in try ChainFacts(json: row.blob(0)) }
    }
}

/// The connection of the reader's queue.
private final class ReaderConnection: @unchecked Sendable {
    // @unchecked Sendable because only blocks of the reader's serial queue touch the database.
    let database: Database

    init(_ database: Database) { self.database = database }
}
