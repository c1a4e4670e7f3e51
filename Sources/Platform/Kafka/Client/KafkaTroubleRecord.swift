/// The most telling trouble of a client, from its errors in their order. Times are nanoseconds of a monotonic clock.
public struct KafkaTroubleRecord: Hashable, Sendable {
    private struct Entry: Hashable, Sendable {
        var trouble: KafkaTrouble
        var time: Int64
    }

    /// librdkafka repeats an error that goes on every 30 s: one that was not heard of for longer may be over.
    private static let memory: Int64 = 60_000_000_000

    private var connection: Entry?
    private var denial: Entry?

    /// Nothing is known.
    public init() {}

    /// An error of the client.
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

    /// A broker is connected.
    public mutating func connect() { connection = nil }

    /// A right that was denied is granted: the group has taken the client in.
    public mutating func join() { denial = nil }

    /// The trouble that should be named; nil when none is known.
    public func trouble(at now: Int64) -> KafkaTrouble? {
        if let connection { return connection.trouble }
        return denial.flatMap { now - $0.time < Self.memory ? $0.trouble : nil }
    }
}
