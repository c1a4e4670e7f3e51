import AppStoreModel
import EntitlementRules
import Foundation
import NotificationRecord
import PipelineRuntime
import SQLite
import Telemetry
import TestSupport
import Testing

@testable import Entitlements

/// One row of the database, as text.
struct StoredRow: Equatable {
    let chain: String
    let account: String?
    let facts: String
}

/// What stands in a database, by chain.
func rows(_ path: String) throws -> [StoredRow] {
    try Database(path: path, access: .reader).rows(
        "SELECT original_transaction_id, app_account_token, facts FROM chains ORDER BY 1, bundle_id"
    ) { row in
        StoredRow(
            chain: try row.text(0), account: try row.textOrNil(1),
            facts: String(decoding: try row.blob(2), as: UTF8.self))
    }
}

@Suite struct EntitlementsStoreTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.database
    }

    @Test func `facts of a chain are merged into one row`() throws {
        let store = try EntitlementsStore(path: path)
        #expect(try store.merge([]) == EntitlementsStore.Merge())
        #expect(try store.merge(lifeOfOne().map { try $0.facts() }).changed == 1)
        let stored = try rows(path)
        #expect(stored.map(\.chain) == ["1000"])
        #expect(stored.map(\.account) == [account])
        let chain = try ChainFacts(json: Array(try #require(stored.first).facts.utf8))
        #expect(
            chain.events.map(\.notificationType.rawValue) == [
                "SUBSCRIBED", "DID_RENEW", "DID_CHANGE_RENEWAL_STATUS", "EXPIRED",
            ])
        #expect(chain.purchases.count == 2)
    }

    @Test func `chains of different apps and environments never meet`() throws {
        let store = try EntitlementsStore(path: path)
        var other = lifeOfOne()[0]
        other.notification["data"] = .object(["environment": "Production", "bundleId": "com.other"])
        let sandbox = lifeOfOne(environment: .sandbox)[0]
        let merge = try store.merge([lifeOfOne()[0].facts(), other.facts(), sandbox.facts()])
        #expect(merge.changed == 3)
        #expect(try rows(path).count == 3)
    }

    @Test func `every order and every cut into batches ends in the same rows`() throws {
        let facts = try lifeOfOne().map { try $0.facts() }
        let reference = try ChainFacts(facts: facts)
        let store = try EntitlementsStore(path: path)
        for (number, order) in permutations(facts).enumerated() {
            // A chain of its own for each order, in one database.
            let chain = "order-\(number)"
            let renamed = try order.map { try $0.renamed(chain) }
            if number.isMultiple(of: 2) {
                _ = try store.merge(renamed + renamed)
            } else {
                for one in renamed { _ = try store.merge([one]) }
            }
        }
        let stored = try rows(path)
        #expect(stored.count == 24)
        for row in stored {
            #expect(try ChainFacts(json: Array(row.facts.utf8)) == reference.renamed(row.chain))
        }
        #expect(Set(stored.map { $0.facts.replacing($0.chain, with: "") }).count == 1)
    }

    @Test func `the same batch again changes nothing and is not late`() throws {
        let store = try EntitlementsStore(path: path)
        let facts = try lifeOfOne().map { try $0.facts() }
        _ = try store.merge(facts)
        let before = try rows(path)
        #expect(try store.merge(facts.reversed()).changed == 0)
        #expect(try store.merge([facts[3]]) == EntitlementsStore.Merge())
        #expect(try rows(path) == before)
    }

    @Test func `facts that are older than what is known are counted as late`() throws {
        let store = try EntitlementsStore(path: path)
        let facts = try lifeOfOne().map { try $0.facts() }
        #expect(try store.merge([facts[3]]).late == 0)
        let merge = try store.merge([facts[2]])
        #expect(merge.late == 1)
        #expect(merge.changed == 1)
    }

    @Test func `a status that the facts do not explain is counted`() throws {
        let store = try EntitlementsStore(path: path)
        let draft = Draft(
            "DID_RENEW", signed: on(1), status: 2, transaction: period("1", from: on(0), to: on(30)),
            renewalInfo: renewal())
        #expect(try store.merge([draft.facts()]).disagreements == 1)
    }

    @Test func `a reopened file knows what it knew`() throws {
        let facts = try lifeOfOne().map { try $0.facts() }
        let first = try EntitlementsStore(path: path)
        #expect(try !first.isCompleteFromStart())
        try first.markCompleteFromStart(at: on(0))
        _ = try first.merge(Array(facts[..<2]))
        first.close()
        let second = try EntitlementsStore(path: path)
        #expect(try second.isCompleteFromStart())
        _ = try second.merge(Array(facts[2...]))
        let chain = try ChainFacts(json: Array(try #require(rows(path).first).facts.utf8))
        #expect(try chain == ChainFacts(facts: facts))
    }

    @Test func `a second writer is refused`() throws {
        let store = try EntitlementsStore(path: path)
        let error = #expect(throws: EntitlementsStoreError.self) { _ = try EntitlementsStore(path: path) }
        #expect(error?.code == .ownedByAnother)
        store.close()
        _ = try EntitlementsStore(path: path)
    }

    @Test func `a closed store refuses, and the fault is no record's`() throws {
        let store = try EntitlementsStore(path: path)
        store.close()
        let error = #expect(throws: EntitlementsStoreError.self) { try store.merge([lifeOfOne()[0].facts()]) }
        #expect((error as (any Error)?) is any InfrastructureFault)
    }

    @Test func `a file that is no database is damaged`() throws {
        try String(repeating: "no database ", count: 1000).write(toFile: path, atomically: true, encoding: .utf8)
        let error = #expect(throws: EntitlementsStoreError.self) { _ = try EntitlementsStore(path: path) }
        #expect(error?.code == .damaged)
    }

    @Test func `a file of a later version is not touched`() throws {
        try EntitlementsStore(path: path).close()
        let database = try Database(path: path)
        try database.executeScript("PRAGMA user_version = 99")
        database.close()
        let error = #expect(throws: EntitlementsStoreError.self) { _ = try EntitlementsStore(path: path) }
        #expect(error?.code == .newer)
    }

    // MARK: Faults inside a batch

    /// Facts of three chains; the second one is in trouble in the tests below.
    private func three(_ step: Int) throws -> [ChainFacts] {
        try ["1", "2", "3"].map { try lifeOfOne(chain: $0)[step].facts() }
    }

    private func change(_ sql: String) throws {
        let database = try Database(path: path)
        try database.executeScript(sql)
        database.close()
    }

    @Test(arguments: [
        ("'no blob'", EntitlementsStoreError.Code.damaged),
        ("x'7b'", .damaged),
        ("x''", .damaged),
        ("(SELECT facts FROM chains WHERE original_transaction_id = '1')", .damaged),
        ("CAST(replace(CAST(facts AS TEXT), '\"formatVersion\":1', '\"formatVersion\":99') AS BLOB)", .newer),
    ])
    func `a row that cannot be read fails the batch, and stays as it is`(
        facts: String, code: EntitlementsStoreError.Code
    ) throws {
        let first = try EntitlementsStore(path: path)
        _ = try first.merge(three(0))
        first.close()
        try change("UPDATE chains SET facts = \(facts) WHERE original_transaction_id = '2'")
        let before = try Database(path: path, access: .reader)
            .rows("SELECT hex(facts) FROM chains ORDER BY original_transaction_id") { try $0.text(0) }
        let store = try EntitlementsStore(path: path)
        let error = #expect(throws: EntitlementsStoreError.self) { try store.merge(three(1)) }
        #expect(error?.code == code)
        let after = try Database(path: path, access: .reader)
            .rows("SELECT hex(facts) FROM chains ORDER BY original_transaction_id") { try $0.text(0) }
        #expect(after == before)
        // The other chains go on.
        #expect(try store.merge([three(1)[0]]).changed == 1)
    }

    @Test(arguments: ["ABORT", "FAIL", "ROLLBACK"])
    func `an error in the middle of a batch leaves nothing of it`(kind: String) throws {
        let first = try EntitlementsStore(path: path)
        _ = try first.merge(three(0))
        first.close()
        let before = try rows(path)
        try change(
            """
            CREATE TRIGGER trouble BEFORE UPDATE ON chains WHEN NEW.original_transaction_id = '2'
            BEGIN SELECT RAISE(\(kind), 'trouble'); END
            """)
        let store = try EntitlementsStore(path: path)
        #expect(throws: EntitlementsStoreError.self) { try store.merge(three(1)) }
        #expect(try rows(path) == before)
        // The connection is usable afterwards.
        #expect(try store.merge([three(1)[0]]).changed == 1)
    }

    @Test func `a full database takes nothing of a batch, and goes on when there is room`() throws {
        let database = try Database(path: path)
        try database.executeScript("PRAGMA max_page_count = 24")
        let store = try EntitlementsStore(database)
        _ = try store.merge(three(0))
        let before = try rows(path)
        var large = lifeOfOne(chain: "4")[0]
        large.transaction?["offerIdentifier"] = .string(String(repeating: "x", count: 200_000))
        let batch = try three(1) + [large.facts()]
        let error = #expect(throws: EntitlementsStoreError.self) { try store.merge(batch) }
        #expect(error?.code == .sqlite)
        #expect(error?.message.contains("full") == true)
        #expect(try rows(path) == before)
        #expect(try store.merge(three(1)).changed == 3)
    }

    @Test func `a reader sees the last commit while the writer writes`() async throws {
        let facts = try lifeOfOne().map { try $0.facts() }
        let store = try EntitlementsStore(path: path)
        _ = try store.merge([facts[0]])
        store.close()
        let reader = try EntitlementsReader(path: path)
        let writer = try Database(path: path)
        try writer.executeScript("BEGIN IMMEDIATE; DELETE FROM chains;")
        #expect(try await reader.find("1000").map(\.events.count) == [1])
        try writer.executeScript("COMMIT")
        #expect(try await reader.find("1000").isEmpty)
        await reader.close()
        await #expect(throws: EntitlementsStoreError.self) { _ = try await reader.find("1000") }
    }
}

extension ChainFacts {
    /// The join of facts about one chain.
    init(facts: [ChainFacts]) throws {
        self = try #require(facts.first)
        for one in facts { merge(one) }
    }

    /// The same facts about a chain of another name.
    func renamed(_ chain: String) throws -> ChainFacts {
        var object = json
        object["originalTransactionId"] = .string(chain)
        return try ChainFacts(json: object)
    }
}

extension EntitlementsReader {
    func find(_ chain: String) async throws -> [ChainFacts] {
        try await withCheckedThrowingContinuation { continuation in
            chains(of: .originalTransactionId(OriginalTransactionId(chain)), environment: .production, bundleId: nil) {
                result in
                continuation.resume(
                    with: result.mapError { $0 as any Error }.map { found in
                        if case .chains(let chains) = found { chains } else { [] }
                    })
            }
        }
    }
}
