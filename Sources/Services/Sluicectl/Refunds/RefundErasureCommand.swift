internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import JSON
internal import Kafka
internal import Lifecycle
internal import Records
internal import RefundRules
internal import Story

/// `sluicectl refunds erase`: removes a person from the refund cases. Publishes a tombstone for each case;
/// sluice-refunds then keeps only the list of answered requests. Replaces each preference with a withdrawal of consent,
/// so that nothing more is sent.
struct RefundErasureCommand {
    let refunds: RefundsCommand

    private var configuration: Configuration { refunds.configuration }

    private var preferences: KafkaTopic {
        TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]).refundPreferences
    }

    /// - Parameter id: an appAccountToken, an appTransactionId, an originalTransactionId or a transactionId.
    func run(_ id: String, _ console: Console) async throws -> ExitCode {
        try await refunds.withAdmin { admin, kafka in
            let rows = try await ReadRefunds.read(refunds.topic, gap: refunds.gap, of: admin, with: kafka)
            let bundle = configuration[OperationsSettings.app]
            let cases = rows.rows.values.map(\.refund).filter {
                Self.speaks($0, of: id) && (bundle == nil || $0.bundleId.rawValue == bundle)
            }.sorted { $0.transactionId.rawValue < $1.transactionId.rawValue }
            let customers = try await customers(named: id, cases, admin, kafka)
            guard !cases.isEmpty || !customers.isEmpty else {
                throw StartupError(
                    "no refund case or preference has the id \(PlainText.printable(id))",
                    fix: "Pass an appAccountToken, an appTransactionId, an originalTransactionId or a transactionId")
            }
            let isDone = configuration[OperationsSettings.yes]
            if isDone { try await erase(cases, customers, kafka) }
            await console.write(
                configuration, text: Self.text(cases, customers), json: Self.json(cases, customers, isDone: isDone))
            guard isDone else { throw StartupError("nothing was changed", fix: "Run the command again with --yes") }
            return .ok
        }
    }

    private func erase(_ cases: [RefundCase], _ customers: [String], _ kafka: KafkaConfiguration) async throws {
        // First withdraw consent, so that nothing more is sent about this person.
        var withdrawal = RefundPreference()
        withdrawal.isWithdrawn = true
        for customer in customers {
            try await refunds.publish(
                KafkaProducerRecord(topic: preferences, key: Array(customer.utf8), value: withdrawal.json), kafka)
        }
        for refund in cases {
            let key = RecordKey.transaction(refund.bundleId, refund.transactionId)
            try await refunds.publish(
                KafkaProducerRecord(topic: refunds.topic, key: Array(key.utf8), value: nil), kafka)
        }
    }

    private static func text(_ cases: [RefundCase], _ customers: [String]) -> String {
        cases.map { "case \($0.bundleId)/\($0.transactionId)\n" }.joined()
            + customers.map { "preference \($0)\n" }.joined()
    }

    private static func json(_ cases: [RefundCase], _ customers: [String], isDone: Bool) -> JSONObject {
        [
            OutputName.ok: .bool(isDone),
            OutputName.cases: .array(
                cases.map { refund in
                    .object([
                        OutputName.bundleId: .string(refund.bundleId.rawValue),
                        OutputName.transactionId: .string(refund.transactionId.rawValue),
                    ])
                }),
            OutputName.preferences: .array(customers.map { .string($0) }),
        ]
    }

    private static func speaks(_ refund: RefundCase, of id: String) -> Bool {
        let known = refund.transaction
        return refund.transactionId.rawValue == id || known?.originalTransactionId?.rawValue == id
            || known?.appTransactionId?.rawValue == id
            || known?.appAccountToken?.rawValue.lowercased() == id.lowercased()
    }

    /// Returns the keys of this person's recorded preferences.
    private func customers(
        named id: String, _ cases: [RefundCase], _ admin: KafkaAdmin, _ kafka: KafkaConfiguration
    ) async throws -> [String] {
        var names: Set = [id.lowercased()]
        for known in cases.compactMap(\.transaction) {
            if let token = known.appAccountToken { names.insert(token.rawValue.lowercased()) }
            if let number = known.appTransactionId { names.insert(number.rawValue) }
        }
        let recorded = try await RefundPreferenceCommand(refunds: refunds).recorded(admin, kafka)
        return names.filter { recorded[$0] != nil }.sorted()
    }
}
