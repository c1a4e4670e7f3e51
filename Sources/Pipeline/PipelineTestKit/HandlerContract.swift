public import Kafka
public import PipelineRuntime

/// A handler under test with its own sink.
public struct HandlerSubject: Sendable {
    /// Creates a new handler with the same sink, as if the process had restarted.
    public var handler: @Sendable () async throws -> PipelineHandler
    /// Returns the current content of the sink, with one entry per item, for example per key.
    public var effect: @Sendable () async throws -> [String: String]
    /// Makes the sink unavailable (`true`) or available again (`false`). If nil, this is not tested.
    public var withholdSink: (@Sendable (Bool) async throws -> Void)?

    /// Creates a subject. Each scenario uses a separate subject, so that it starts with an empty sink.
    public init(
        handler: @escaping @Sendable () async throws -> PipelineHandler,
        effect: @escaping @Sendable () async throws -> [String: String],
        withholdSink: (@Sendable (Bool) async throws -> Void)? = nil
    ) {
        self.handler = handler
        self.effect = effect
        self.withholdSink = withholdSink
    }
}

/// Tests whether a handler fulfills its contract: however records are delivered, their effect is the same as if each
/// record had been handled exactly once.
///
/// Each scenario runs the handler in the real runtime on a separate embedded broker. A scenario takes several seconds,
/// mainly to join a consumer group. Scenarios run concurrently.
///
/// ```swift
/// @Test func `the handler keeps the contract`() async throws {
///     let contract = HandlerContract(records: records) {
///         let store = try MyStore()
///         return HandlerSubject(handler: { .records(MyHandler(store)) }, effect: { store.all() })
///     }
///     let violations = try await contract.violations()
///     #expect(violations.isEmpty, "\(violations)")
/// }
/// ```
public struct HandlerContract: Sendable {
    /// The scenarios in which a handler must fulfill the contract.
    public enum Scenario: String, Sendable, CaseIterable {
        /// Every record is delivered once. The effects of all other scenarios are compared with this one's.
        case once
        /// Every record is delivered twice in a row, as if the producer had retried.
        case duplicates
        /// Records are delivered in a different order of keys. The records of each key remain in order.
        case otherOrder = "other order of keys"
        /// All records are delivered again to the same handler, as if an operator had reset the group.
        case rewind
        /// Half of the records are handled but not committed. A new handler then handles all records.
        case crash
        /// Malformed records are added: values that are not text or are truncated, null and empty values and keys, and
        /// unknown headers and types.
        case malformedRecords = "malformed records"
        /// The partition is lost during a call, then assigned again.
        case cancellation
        /// Every record fails with an infrastructure fault, once before and once after its effect, then succeeds.
        case infrastructureFault = "infrastructure fault"
        /// The sink is unavailable for a while. Skipped if `withholdSink` is nil.
        case sinkAway = "sink away"
    }

    let records: [KafkaProducerRecord]
    let limit: Duration
    let subject: @Sendable () async throws -> HandlerSubject

    /// - Parameters:
    ///   - records: at least two valid records, each with an effect; preferably several records for each of several
    ///     keys. They are written in this order; a record without a partition is written to partition 0. Every topic
    ///     has just enough partitions for the highest partition number in the records.
    ///   - limit: the maximum time for the handler to process all records.
    ///   - subject: creates a subject with an empty sink.
    public init(
        records: [KafkaProducerRecord], within limit: Duration = .seconds(20),
        subject: @escaping @Sendable () async throws -> HandlerSubject
    ) {
        self.records = records
        self.limit = limit
        self.subject = subject
    }

    /// Runs the scenarios and returns all violations. The list is empty if the handler fulfills the contract.
    ///
    /// - Throws: an error from the subject or the embedded broker. In that case, it is unknown whether the handler
    ///   fulfills the contract.
    public func violations(_ scenarios: [Scenario] = Scenario.allCases) async throws -> [ContractViolation] {
        let once = try await run(.once, expecting: nil)
        guard once.violations.isEmpty else { return once.violations }
        return try await withThrowingTaskGroup { group in
            for scenario in scenarios where scenario != .once {
                group.addTask { try await run(scenario, expecting: once.effect).violations }
            }
            return try await group.reduce(into: []) { $0 += $1 }.sorted { $0.description < $1.description }
        }
    }
}

/// A violation of the contract by a handler.
public struct ContractViolation: Sendable, Equatable, CustomStringConvertible {
    /// The scenario in which the violation occurred.
    public let scenario: HandlerContract.Scenario
    /// The expected and the actual result, in one sentence.
    public let message: String

    public var description: String { "\(scenario.rawValue): \(message)" }
}
