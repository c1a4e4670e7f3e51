/// Tracks a client's most specific problem. It receives the client's errors in order. Times are monotonic nanoseconds.
public struct KafkaTroubleRecord: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var trouble: KafkaTrouble
        var time: Int64
    }

    /// The age in nanoseconds at which a denial is no longer reported and a connection problem can be replaced by a
    /// less specific one. librdkafka repeats a persistent error every 30 s, so an older one may have been resolved.
    private static let memory: Int64 = 60_000_000_000

    private var connection: Entry?
    private var denial: Entry?

    /// Creates an empty record.
    public init() {}

    /// Records an error from the client.
    public mutating func receive(_ error: KafkaError, at now: Int64) {
        guard let trouble = KafkaTrouble(error) else { return }
        let entry = Entry(trouble: trouble, time: now)
        if trouble.cause == .denied {
            denial = entry
        } else if isOutweighed(trouble, at: now) {
            return
        } else {
            connection = entry
        }
    }

    private func isOutweighed(_ trouble: KafkaTrouble, at now: Int64) -> Bool {
        guard let connection, now - connection.time < Self.memory else { return false }
        return connection.trouble.cause.rank > trouble.cause.rank
    }

    /// Notes that a broker is connected.
    public mutating func connect() { connection = nil }

    /// Notes that the group accepted the client, which ends a denial.
    public mutating func join() { denial = nil }

    /// Returns the problem to report, or nil if there is none.
    public func trouble(at now: Int64) -> KafkaTrouble? {
        if let connection { return connection.trouble }
        return denial.flatMap { now - $0.time < Self.memory ? $0.trouble : nil }
    }
}
