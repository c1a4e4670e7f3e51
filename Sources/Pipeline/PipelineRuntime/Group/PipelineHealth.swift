internal import Kafka
internal import ServiceKit

/// Whether a pipeline lives and is ready, from what its client last said.
struct PipelineHealth: Sendable, Equatable {
    /// Statistics come every few seconds (at most every 5 s by default); after this long without any, the client's
    /// threads are stuck and only a restart helps.
    static let longestSilence: Int64 = 60_000_000_000

    /// The group has answered the first join, be it with no partition.
    var hasJoined = false
    /// The client or the pipeline has failed permanently, or it is closing.
    var isOver = false
    var brokersUp = 0
    /// Why the brokers do not take the member in.
    var troubles = KafkaTroubleRecord()
    /// Monotonic nanoseconds of the last statistics, or of the start.
    var lastSign: Int64

    /// The group has answered. A broker did so: statistics, seconds later, only count how many there are.
    mutating func join() {
        hasJoined = true
        brokersUp = max(brokersUp, 1)
        troubles.join()
    }

    /// The client has told how many brokers are connected.
    mutating func count(brokersUp count: Int, at now: Int64) {
        lastSign = now
        brokersUp = count
        if count > 0 { troubles.connect() }
    }

    /// False asks for a restart.
    func isLive(at now: Int64) -> Bool { now - lastSign < Self.longestSilence }

    /// Why the pipeline is not ready; nil when it is. A sink that is down is no reason: its records wait and the lag
    /// tells.
    func obstacle(at now: Int64) -> String? {
        if isOver { return "stopping" }
        if !isLive(at: now) { return "kafka client silent" }
        let advice = troubles.trouble(at: now).map { ": \($0.advice)" } ?? ""
        if !hasJoined { return "group not joined" + advice }
        if brokersUp == 0 { return "no broker connected" + advice }
        return nil
    }
}
