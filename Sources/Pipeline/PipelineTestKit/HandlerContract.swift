public import Kafka
public import PipelineRuntime

/// One handler under test, with a sink of its own.
public struct HandlerSubject: Sendable {
    /// A new handler over the same sink, as a process has after a restart.
    public var handler: @Sendable () async throws -> PipelineHandler
    /// What the sink holds now: an entry for each thing that the handler keeps, such as one for each key.
    public var effect: @Sendable () async throws -> [String: String]
    /// Takes the sink away (`true`) and gives it back (`false`); without it that is not tried.
    public var withholdSink: (@Sendable (Bool) async throws -> Void)?

    /// A subject; called once for each scenario, so that every one begins with an empty sink.
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

/// What every handler promises, tried out: whatever a log does to it, the effect is that of every record once.
///
/// Each scenario runs the handler through the real runtime on an embedded broker of its own. A scenario takes some
/// seconds, most of them the joining of a consumer group; they run side by side.
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
    /// What may happen to a handler.
    public enum Scenario: String, Sendable, CaseIterable {
        /// Every record once: this is the effect that all others are compared with.
        case once
        /// Every record twice in a row, as after a producer's retry.
        case duplicates
        /// Keys in another order, the records of each in theirs.
        case otherOrder = "other order of keys"
        /// Everything again, to the same handler: an operator reset the group.
        case rewind
        /// Half of the records handled and nothing committed, then everything, to a new handler.
        case crash
        /// Values that are no text or cut off, null and empty ones, null and empty keys, unknown headers and types.
        case malformedRecords = "malformed records"
        /// The partition is lost in the middle of the work, and comes back.
        case cancellation
        /// Every record fails for reasons of the infrastructure, before and after its effect, and comes again.
        case infrastructureFault = "infrastructure fault"
        /// The sink is away for a while (only with `withholdSink`).
        case sinkAway = "sink away"
    }

    let records: [KafkaProducerRecord]
    let limit: Duration
    let subject: @Sendable () async throws -> HandlerSubject

    /// - Parameters:
    ///   - records: good records, of which every one has its effect; at least two, better of several keys with several
    ///     records each. They are written in this order. A topic gets one partition unless a record names another.
    ///   - limit: how long the handler may take for all of them.
    ///   - subject: makes a handler with an empty sink.
    public init(
        records: [KafkaProducerRecord], within limit: Duration = .seconds(20),
        subject: @escaping @Sendable () async throws -> HandlerSubject
    ) {
        self.records = records
        self.limit = limit
        self.subject = subject
    }

    /// Runs the scenarios; empty when the handler keeps what it promises.
    ///
    /// - Throws: what the subject throws, and what keeps the embedded broker from running: then nothing is known.
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

/// A promise that the handler did not keep.
public struct ContractViolation: Sendable, Equatable, CustomStringConvertible {
    /// What was done to the handler.
    public let scenario: HandlerContract.Scenario
    /// What should have been and what was, in one sentence.
    public let message: String

    public var description: String { "\(scenario.rawValue): \(message)" }
}
