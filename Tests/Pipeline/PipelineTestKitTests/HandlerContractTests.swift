import Kafka
import PipelineRuntime
import PipelineTestKit
import Synchronization
import TestSupport
import Testing

/// A sink that stores the last value of each key, for correct and faulty handlers.
private final class Table: Sendable {
    let rows = Mutex<[String: String]>([:])
    let isAway = Mutex(false)

    var effect: [String: String] { rows.withLock { $0 } }
}

private struct SinkAway: InfrastructureFault {}
private struct NoText: Error {}
private struct Ordinary: Error {}

/// A mistake in a handler, and the scenario that must detect it.
private enum Mistake: String, CaseIterable, Sendable {
    case none, counts, throwsWhenAway, retriesPoison, skipsWhenAway, deadLettersGood, ignoresCancellation, takesAllKeys

    var found: HandlerContract.Scenario? {
        switch self {
        case .none: nil
        case .counts: .duplicates
        case .throwsWhenAway, .skipsWhenAway: .sinkAway
        case .retriesPoison, .takesAllKeys: .malformedRecords
        case .deadLettersGood: .once
        case .ignoresCancellation: .cancellation
        }
    }
}

private struct TableHandler: RecordHandler {
    let table: Table
    let mistake: Mistake

    func handle(_ record: KafkaRecord) async throws -> HandlerVerdict {
        guard let value = record.value.flatMap({ String(validating: $0, as: UTF8.self) }), let number = Int(value)
        else {
            if mistake == .retriesPoison { return .retry(after: nil) }
            if mistake == .takesAllKeys, let key = record.key { table.rows.withLock { $0["last"] = "\(key)" } }
            throw NoText()
        }
        if table.isAway.withLock({ $0 }) {
            if mistake == .throwsWhenAway { throw Ordinary() }
            if mistake == .skipsWhenAway { return .skip("away") }
            throw SinkAway()
        }
        if mistake == .deadLettersGood, number == 3 { return .deadLetter("three") }
        if mistake == .ignoresCancellation, Task.isCancelled {
            await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
                Task {
                    try? await Task.sleep(for: .seconds(5))
                    continuation.resume()
                }
            }
        }
        let key = String(decoding: record.key ?? [], as: UTF8.self)
        table.rows.withLock { rows in
            if mistake == .takesAllKeys { rows["last"] = key }
            rows[key] = mistake == .counts ? "\((rows[key].flatMap { Int($0) } ?? 0) + 1)" : value
        }
        return .done
    }
}

/// A correct batch handler that wraps the single-record handler.
private struct TableBatches: BatchHandler {
    let handler: TableHandler

    func handle(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] {
        var verdicts: [HandlerVerdict] = []
        for record in records {
            do {
                verdicts.append(try await handler.handle(record))
            } catch is NoText {
                verdicts.append(.deadLetter("no_text"))
            }
        }
        return verdicts
    }
}

/// A flushing handler with an open file per partition. A flush closes the file.
private final class TableFiles: FlushingHandler {
    let handler: TableHandler
    private let open = Mutex<[KafkaTopicPartition: [KafkaRecord]]>([:])

    init(handler: TableHandler) { self.handler = handler }

    func append(_ records: [KafkaRecord]) async throws -> [HandlerVerdict] {
        records.map { record in
            guard let value = record.value, Int(String(decoding: value, as: UTF8.self)) != nil else {
                return .deadLetter("no_text")
            }
            open.withLock { $0[record.topicPartition, default: []].append(record) }
            return .done
        }
    }

    func flush(_ partition: KafkaTopicPartition) async throws {
        for record in open.withLock({ $0[partition] ?? [] }) { _ = try await handler.handle(record) }
        open.withLock { $0[partition] = nil }
    }

    func partitionReleased(_ partition: KafkaTopicPartition) async {
        open.withLock { $0[partition] = nil }
    }
}

private enum Form: CaseIterable, Sendable {
    case records, batches, flushing
}

@Suite(.timeLimit(.minutes(10))) struct HandlerContractTests {
    private static let records = (0..<12).map { number in
        KafkaProducerRecord(topic: "numbers", key: Array("key-\(number % 4)".utf8), value: Array("\(number)".utf8))
    }

    private func contract(_ mistake: Mistake, _ form: Form = .records) -> HandlerContract {
        HandlerContract(records: Self.records, within: mistake == .none ? .seconds(20).scaled : .seconds(2)) {
            let table = Table()
            return HandlerSubject(
                handler: {
                    let handler = TableHandler(table: table, mistake: mistake)
                    switch form {
                    case .records: return .records(handler)
                    case .batches: return .batches(TableBatches(handler: handler))
                    case .flushing: return .flushing(TableFiles(handler: handler))
                    }
                },
                effect: { table.effect }, withholdSink: { isAway in table.isAway.withLock { $0 = isAway } })
        }
    }

    @Test(arguments: Form.allCases)
    fileprivate func `a correct handler of any form violates nothing`(form: Form) async throws {
        let violations = try await contract(.none, form).violations()
        #expect(violations.isEmpty, "\(violations)")
    }

    @Test func `a flush that counts copies twice is detected`() async throws {
        let violations = try await contract(.counts, .flushing).violations([.duplicates])
        #expect(violations.contains { $0.scenario == .duplicates }, "\(violations)")
    }

    /// Runs in parallel, because each scenario waits for a consumer group twice.
    @Test func `every mistake is detected and reported by its scenario`() async throws {
        try await withThrowingTaskGroup { group in
            for mistake in Mistake.allCases {
                guard let scenario = mistake.found else { continue }
                group.addTask {
                    let violations = try await contract(mistake).violations([scenario])
                    #expect(!violations.isEmpty, "\(mistake)")
                    #expect(
                        violations.allSatisfy { $0.scenario == scenario && $0.message.count > 20 },
                        "\(mistake): \(violations)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `a handler without effect is not considered correct`() async throws {
        struct Nothing: RecordHandler {
            func handle(_ record: KafkaRecord) async throws -> HandlerVerdict { .done }
        }
        let contract = HandlerContract(records: Self.records) {
            HandlerSubject(handler: { .records(Nothing()) }, effect: { [:] })
        }
        #expect(try await contract.violations().map(\.scenario) == [.once])
    }
}
