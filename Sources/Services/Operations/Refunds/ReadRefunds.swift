internal import AppStoreModel
internal import Configuration
internal import Kafka
internal import KeyedState
internal import Lifecycle
internal import Records
internal import RefundCases

/// The refund cases of an environment, as their topic tells them.
struct ReadRefunds {
    /// One case, and the answer that stands for it.
    struct Row: Sendable {
        var refund: RefundCase
        /// The proposal with the smallest offset.
        var standing: (offset: Int64, answer: FrozenAnswer?)?

        /// What Apple gets or got: of the case, or frozen and not sent yet.
        var answer: FrozenAnswer? { refund.answer ?? standing?.answer }
    }

    private(set) var rows: [String: Row] = [:]
    /// Records that are no cases, such as those of a newer version.
    private(set) var unreadable = 0

    mutating func take(_ record: KafkaRecord) {
        guard let key = record.key.map({ String(decoding: $0, as: UTF8.self) }) else {
            unreadable += 1
            return
        }
        guard let value = record.value else {
            rows[key] = nil
            return
        }
        guard let refund = try? RefundCase(json: value) else {
            unreadable += 1
            return
        }
        var row = rows[key] ?? Row(refund: refund)
        row.refund.merge(refund)
        if let proposal = StateProposal(record), proposal.offset < row.standing?.offset ?? .max {
            row.standing = (proposal.offset, FrozenAnswer(json: proposal.value))
        }
        rows[key] = row
    }

    /// What has a request or an outcome: the withdrawn consents alone are no cases.
    var cases: [Row] { rows.values.filter { $0.refund.answerStatus != .none || $0.refund.outcome != nil } }

    /// Reads the topic of an environment to its end.
    ///
    /// - Throws: a `StartupError` when it does not exist or brokers do not answer.
    static func read(
        _ topic: KafkaTopic, of admin: KafkaAdmin, with kafka: KafkaConfiguration
    ) async throws -> ReadRefunds {
        let scan = try await TopicScan(topic, of: admin, with: kafka)
        let box = Box()
        try await scan.run { record in
            box.refunds.take(record)
            return true
        }
        return box.refunds
    }

    private final class Box {
        var refunds = ReadRefunds()
    }
}
