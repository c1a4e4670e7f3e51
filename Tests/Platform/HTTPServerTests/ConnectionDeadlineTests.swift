import HTTPServer
import Testing

/// Tests that deadlines are absolute: sending single bytes does not extend them.
struct ConnectionDeadlineTests {
    private static let second: UInt64 = 1_000_000_000
    private static let request = "POST /n HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"

    /// Creates a connection with an immediately answered first request.
    private func makeServedState() -> ConnectionState {
        var state = ConnectionState(rules: ConnectionRules(limits: Limits()) { _ in .body(limit: 1000) }, now: 0)
        _ = receive(&state, Self.request, at: 0)
        _ = state.reply(closes: false, isDraining: false, now: 0)
        _ = state.sent(now: 0)
        return state
    }

    private func receive(_ state: inout ConnectionState, _ text: String, at seconds: UInt64) -> ConnectionState.Action {
        let bytes = Array(text.utf8)
        return state.received(bytes.span, now: seconds * Self.second)
    }

    @Test func `received bytes do not extend the deadline of a later head`() {
        var state = makeServedState()
        for at in 20...29 { _ = receive(&state, at == 20 ? "POST /n HTTP/1.1\r\nX: " : "x", at: UInt64(at)) }
        #expect(state.deadline == 30 * Self.second)
        #expect(state.startedAt == 20 * Self.second)
    }

    @Test func `the head of a later request does not extend the deadline of its body`() {
        var state = makeServedState()
        _ = receive(&state, "POST /n HTTP/1.1\r\nHost: a\r\n", at: 20)
        _ = receive(&state, "Content-Length: 9\r\n\r\n", at: 29)
        #expect(state.deadline == 35 * Self.second)
        for at in 30...34 { _ = receive(&state, "x", at: UInt64(at)) }
        #expect(state.deadline == 35 * Self.second)
    }
}
