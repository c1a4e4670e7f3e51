import AppStoreModel
import Testing

@testable import Reconciler

/// Detection of a possible ingress outage from a record.
@Suite struct OutageSignalTests {
    private static let now: Int64 = 1_795_435_200_000
    private static let hour: Int64 = 3_600_000

    /// Returns whether each record ends an outage, in order.
    private func recoveries(
        _ records: [(timestamp: Int64, environment: AppStoreEnvironment, now: Int64)]
    ) -> [Bool] {
        var signal = OutageSignal(silence: 300_000)
        return records.map { signal.isRecovery(now(plus: $0.timestamp), in: $0.environment, at: now(plus: $0.now)) }
    }

    private func now(plus milliseconds: Int64) -> Int64 { Self.now + milliseconds }

    @Test func `the first record, and the first after a silence, ends an outage`() {
        let recoveries = recoveries([
            (0, .production, 0), (1_000, .production, 1_000), (Self.hour, .production, Self.hour), (0, .sandbox, 0),
        ])
        #expect(recoveries == [true, false, true, true])
    }

    @Test func `a record from a backlog does not end an outage`() {
        #expect(recoveries([(-Self.hour, .production, 0)]) == [false])
    }

    @Test func `a record from the future neither ends nor hides an outage`() {
        let recoveries = recoveries([
            (0, .production, 0), (26 * Self.hour, .production, 1_000), (Self.hour, .production, Self.hour),
        ])
        #expect(recoveries == [true, false, true])
    }
}
