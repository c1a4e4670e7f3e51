import AppStoreModel
import Foundation
import KafkaModel

/// The members of a state that concern its purchase. Receivers are not notified again if they are unchanged, so a state
/// that differs only in its times need not reach every receiver.
struct PurchaseStatement: Equatable {
    let version: String
    private let members: String

    private init?(_ state: JSON.Object) {
        guard let version = state.text("version") else { return nil }
        self.version = version
        let members = state.filter { !["version", "asOf", "facts"].contains($0.key) }
        guard let text = try? JSONSerialization.data(withJSONObject: members, options: .sortedKeys) else { return nil }
        self.members = String(decoding: text, as: UTF8.self)
    }

    static func == (one: PurchaseStatement, other: PurchaseStatement) -> Bool { one.members == other.members }

    /// Returns the statement with the highest version of each purchase, by originalTransactionId.
    static func last(in states: [JSON.Object]) -> [String: PurchaseStatement] {
        var last: [String: PurchaseStatement] = [:]
        for state in states {
            guard let purchase = state.text("originalTransactionId"), let statement = PurchaseStatement(state),
                statement.version >= last[purchase]?.version ?? ""
            else { continue }
            last[purchase] = statement
        }
        return last
    }
}

extension Broker {
    /// Returns every state in the entitlements topic of production, in partition order.
    func states() async throws -> [JSON.Object] {
        try await records(of: entitlements(.production)).compactMap { $0.value.flatMap { JSON.object($0) } }
    }
}
