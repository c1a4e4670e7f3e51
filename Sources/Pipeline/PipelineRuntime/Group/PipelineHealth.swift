internal import Kafka
internal import ServiceKit

/// Liveness and readiness of a pipeline, from the client's latest events.
struct PipelineHealth: Sendable, Equatable {
    /// Statistics arrive every few seconds (every 5 s by default). After this long without any, the client's threads
    /// are stuck and only a restart helps.
    static let longestSilence: Int64 = 60_000_000_000

    /// Whether the group has completed the first join, even without a partition.
    var hasJoined = false
    /// Whether the client or the pipeline has failed permanently, or is closing.
    var isOver = false
    var brokersUp = 0
    /// Reasons why the brokers refuse the member.
    var troubles = KafkaTroubleRecord()
    /// Monotonic nanoseconds of the last statistics, or of the start.
    var lastSign: Int64

    /// Records a completed join. At least one broker is up then; the next statistics report the exact number.
    mutating func join() {
        hasJoined = true
        brokersUp = max(brokersUp, 1)
        troubles.join()
    }

    /// Records the number of connected brokers.
    mutating func count(brokersUp count: Int, at now: Int64) {
        lastSign = now
        brokersUp = count
        if count > 0 { troubles.connect() }
    }

    /// Whether the process needs no restart.
    func isLive(at now: Int64) -> Bool { now - lastSign < Self.longestSilence }

    /// Returns the reason why the pipeline is not ready; nil if it is. A sink that is down does not count: its records
    /// wait, and the lag shows it.
    func obstacle(at now: Int64) -> String? {
        if isOver { return "stopping" }
        if !isLive(at: now) { return "kafka client silent" }
        let advice = troubles.trouble(at: now).map { ": \($0.advice)" } ?? ""
        if !hasJoined { return "group not joined" + advice }
        if brokersUp == 0 { return "no broker connected" + advice }
        return nil
    }
}
