internal import JSON
internal import Primitives
internal import Synchronization

/// The result of one attempt to deliver a message.
package struct DeliveryAttempt: Sendable {
    /// The `webhook-id` of the message.
    package let id: String
    package let type: String
    /// The length of the body in bytes.
    package let bytes: Int
    /// The start of the attempt, in milliseconds since 1970.
    package let at: Int64
    /// The duration of the attempt.
    package let nanoseconds: UInt64
    let answer: ReceiverAnswer

    /// Whether the receiver accepted the message.
    package var isAccepted: Bool { answer.outcome == .accepted }
    /// The status of the response, or nil if there was no usable response.
    package var status: Int? { answer.status }
    /// One sentence for people, without the path, the query, the payload or the secret.
    package var text: String { answer.text }

    /// The attempt as a JSON object. The format is a public contract.
    package var json: [UInt8] {
        var json = JSONWriter()
        json.object { write(to: &$0) }
        return json.bytes
    }

    fileprivate func write(to object: inout JSONWriter) {
        object.set("at", RFC3339.text(milliseconds: at))
        object.set("id", id)
        object.set("type", type)
        object.set("outcome", answer.outcome.rawValue)
        object.set("status", status.map { Int64($0) })
        object.set("milliseconds", Int64(clamping: nanoseconds / 1_000_000))
        object.set("bytes", Int64(bytes))
        object.set("detail", text)
    }
}

/// The latest attempts by this process, for `sluicectl webhooks attempts`.
final class AttemptLog: Sendable {
    private struct State {
        var attempts: [DeliveryAttempt] = []
        /// The index of the next write once the log has ``limit`` entries.
        var next = 0
    }

    static let limit = 1000

    private let state = Mutex(State())

    func add(_ attempt: DeliveryAttempt) {
        state.withLock { state in
            guard state.attempts.count >= Self.limit else { return state.attempts.append(attempt) }
            state.attempts[state.next] = attempt
            state.next = (state.next + 1) % Self.limit
        }
    }

    /// The attempts, oldest first.
    var all: [DeliveryAttempt] {
        state.withLock { Array($0.attempts[$0.next...] + $0.attempts[..<$0.next]) }
    }

    /// The attempts as `{"attempts":[…]}`, oldest first.
    var json: [UInt8] {
        let attempts = all
        var json = JSONWriter(reservingCapacity: 1 << 16)
        json.object {
            $0.array("attempts") { array in for attempt in attempts { array.object { attempt.write(to: &$0) } } }
        }
        return json.bytes
    }
}
