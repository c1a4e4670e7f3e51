import Kafka
import KafkaDevBroker
import Lifecycle
import Synchronization
import TestSupport
import Testing

/// One embedded broker for all tests of this module; each test has topics of its own.
enum StateTestBroker {
    private static let broker = Result { try DevBroker() }

    static func shared() throws -> DevBroker { try broker.get() }

    static func configuration() throws -> KafkaConfiguration {
        try KafkaConfiguration(bootstrapServers: shared().bootstrapServers, profile: .embedded)
    }

    /// Writes records in order, each acknowledged before the next.
    ///
    /// - Parameter kafka: another broker.
    static func write(_ records: [KafkaProducerRecord], to kafka: KafkaConfiguration? = nil) async throws {
        let producer = try KafkaProducer(kafka ?? configuration(), topics: Array(Set(records.map(\.topic))))
        for record in records { _ = try await producer.send(record, deadline: .seconds(20)) }
        await producer.close(within: .seconds(5))
    }
}

/// A service that runs until it fails or the test ends it.
final class RunHarness: Sendable {
    private let failure = Mutex<StartupError?>(nil)
    private let task: Mutex<Task<Void, Never>?> = Mutex(nil)

    init(_ run: @escaping @Sendable () async throws -> Void) {
        // Ended by `end()`.
        let running = Task { [self] in
            do {
                try await run()
            } catch {
                failure.withLock { $0 = error as? StartupError }
            }
        }
        task.withLock { $0 = running }
    }

    /// Waits until it has failed; nil when it has not in time.
    func failed() async throws -> StartupError? {
        _ = await eventually { failure.withLock { $0 != nil } }
        end()
        return failure.withLock { $0 }
    }

    func end() { task.withLock { $0 }?.cancel() }
}
