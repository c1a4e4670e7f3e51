internal import Kafka
internal import ServiceKit

/// The liveness and readiness of a pipeline, based on the client's latest events.
struct PipelineHealth: Sendable, Equatable {
    /// Maximum time without statistics, which arrive every few seconds (every 5 s by default). After this, the client's
    /// threads are considered stuck, and only a restart helps.
    static let longestSilence: Int64 = 60_000_000_000

    /// Whether the first join has completed, even if no partition was assigned.
    var hasJoined = false
    /// Whether the client or the pipeline has failed permanently, or is closing.
    var isOver = false
    var brokersUp = 0
    /// The reasons why the brokers refuse the member.
    var troubles = KafkaTroubleRecord()
    /// Time of the last statistics, or of the start, in monotonic nanoseconds.
    var lastSign: Int64

    /// Records a completed join. At least one broker is then up; the next statistics report the exact number.
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

    /// Returns whether the process is healthy; if not, it must be restarted.
    func isLive(at now: Int64) -> Bool { now - lastSign < Self.longestSilence }

    /// Returns the reason why the pipeline is not ready; nil if it is ready. A sink that is down does not count: its
    /// records wait, which is visible in the lag.
    func obstacle(at now: Int64) -> String? {
        if isOver { return "stopping" }
        if !isLive(at: now) { return "kafka client silent" }
        let advice = troubles.trouble(at: now).map { ": \($0.advice)" } ?? ""
        if !hasJoined { return "group not joined" + advice }
        if brokersUp == 0 { return "no broker connected" + advice }
        return nil
    }
}
