internal import Kafka
internal import ServiceKit

/// The liveness and readiness of a pipeline, derived from the client's events.
struct PipelineHealth: Sendable, Equatable {
    /// The maximum time without statistics, in nanoseconds. They normally arrive every 5 s. After this time, the
    /// client's threads are considered stuck, and only a restart helps.
    static let longestSilence: Int64 = 60_000_000_000

    /// Whether the first join has completed, even if no partition was assigned.
    var hasJoined = false
    /// Whether the client or the pipeline has failed permanently or is closing.
    var isOver = false
    var brokersUp = 0
    /// The reasons why the brokers reject this member.
    var troubles = KafkaTroubleRecord()
    /// The time of the last statistics, or of the client's start, in monotonic nanoseconds; nil before the start, which
    /// waits for the services that the handler needs.
    var lastSign: Int64?

    /// Records a completed join. At this point, at least one broker is connected; the next statistics contain the exact
    /// number.
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

    /// Returns whether the process is healthy. If it is not, it must be restarted.
    func isLive(at now: Int64) -> Bool { lastSign.map { now - $0 < Self.longestSilence } ?? true }

    /// Returns the reason why the pipeline is not ready, or nil if it is. A sink that is down does not affect
    /// readiness; its records wait, which is visible in the lag.
    func obstacle(at now: Int64) -> String? {
        if isOver { return "stopping" }
        if !isLive(at: now) { return "kafka client stuck" }
        let advice = troubles.trouble(at: now).map { ": \($0.advice)" } ?? ""
        if !hasJoined { return "group not joined" + advice }
        if brokersUp == 0 { return "no broker connected" + advice }
        return nil
    }
}
