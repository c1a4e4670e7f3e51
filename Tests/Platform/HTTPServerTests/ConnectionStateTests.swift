import HTTPServer
import TestSupport
import Testing

struct ConnectionStateTests {
    private static let second: UInt64 = 1_000_000_000

    private func makeState(_ limits: Limits = Limits()) -> ConnectionState {
        ConnectionState(rules: ConnectionRules(limits: limits) { _ in .body(limit: 1000) }, now: 0)
    }

    private func receive(_ state: inout ConnectionState, _ text: String, at seconds: UInt64 = 0)
        -> ConnectionState.Action
    {
        let bytes = Array(text.utf8)
        return state.received(bytes.span, now: seconds * Self.second)
    }

    private func name(_ action: ConnectionState.Action) -> String {
        switch action {
        case .wait: "wait"
        case .sendContinue: "continue"
        case .dispatch(_, let body): "dispatch \(body.count)"
        case .refuse(let answer): "refuse \(answer.status) \(answer.reason)"
        case .linger: "linger"
        case .close(let reason): "close \(reason ?? "-")"
        }
    }

    /// Creates a connection with a first request answered at `seconds`.
    private func servedState(
        at seconds: UInt64, isFromProxy: Bool = false, _ limits: Limits = Limits()
    ) -> ConnectionState {
        var state = ConnectionState(
            rules: ConnectionRules(limits: limits) { _ in .body(limit: 1000) }, isFromProxy: isFromProxy, now: 0)
        _ = receive(&state, HostileRequest.good, at: seconds)
        _ = state.reply(closes: false, isDraining: false, now: seconds * Self.second)
        _ = state.sent(now: seconds * Self.second)
        return state
    }

    @Test func `a silent connection is closed ten seconds after accept`() {
        var state = makeState()
        #expect(name(state.tick(now: 10 * Self.second - 1)) == "wait")
        #expect(name(state.tick(now: 10 * Self.second)) == "close idle")
    }

    @Test func `received bytes do not extend the deadline of a head`() {
        var state = makeState()
        for at in 1...9 { _ = receive(&state, at == 1 ? "POST /n HTTP/1.1\r\nX: " : "x", at: UInt64(at)) }
        #expect(name(state.tick(now: 10 * Self.second)) == "close slow")
    }

    @Test func `a later head must be complete ten seconds after its first byte`() {
        var state = servedState(at: 5)
        _ = receive(&state, "P", at: 20)
        #expect(name(state.tick(now: 30 * Self.second - 1)) == "wait")
        #expect(name(state.tick(now: 30 * Self.second)) == "close slow")
    }

    @Test func `a kept-alive connection is closed after thirty idle seconds without a recorded outcome`() {
        var state = servedState(at: 5)
        #expect(name(state.tick(now: 35 * Self.second - 1)) == "wait")
        #expect(name(state.tick(now: 35 * Self.second)) == "close -")
    }

    @Test func `a proxy's kept-alive connection may be idle for 75 seconds, longer than proxies keep it open`() {
        var state = servedState(at: 5, isFromProxy: true)
        #expect(name(state.tick(now: 80 * Self.second - 1)) == "wait")
        #expect(name(state.tick(now: 80 * Self.second)) == "close -")
    }

    @Test func `the idle timeout is not extended for a proxy that uses one connection per client`() {
        var limits = Limits()
        limits.forwarded = .proxyProtocol
        var state = ConnectionState(
            rules: ConnectionRules(limits: limits) { _ in .body(limit: 1000) }, isFromProxy: true, now: 0)
        let ownHeader: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 81, 85, 73, 84, 10, 0x20, 0, 0, 0]
        _ = state.received(ownHeader.span, now: 0)
        _ = receive(&state, HostileRequest.good, at: 5)
        _ = state.reply(closes: false, isDraining: false, now: 5 * Self.second)
        _ = state.sent(now: 5 * Self.second)
        #expect(name(state.tick(now: 35 * Self.second)) == "close -")
    }

    @Test func `a body that is incomplete after fifteen seconds is answered with 408`() {
        var state = makeState()
        _ = receive(&state, "POST /n HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n", at: 9)
        for at in 10...14 { #expect(name(receive(&state, "x", at: UInt64(at))) == "wait") }
        #expect(name(state.tick(now: 15 * Self.second)) == "refuse 408 slow")
        #expect(name(state.sent(now: 15 * Self.second)) == "linger")
    }

    /// Deadlines are checked every 100 ms, and the response must be sent within five seconds.
    @Test func `a request is answered with 503 if its handler does not respond within 4.8 seconds`() {
        var state = makeState()
        #expect(name(receive(&state, HostileRequest.good, at: 8)) == "dispatch 21")
        let deadline = 8 * Self.second + 4_800_000_000
        #expect(name(state.tick(now: deadline - 1)) == "wait")
        #expect(name(state.tick(now: deadline)) == "refuse 503 deadline")
    }

    @Test func `sending and lingering have deadlines`() {
        var state = makeState()
        _ = receive(&state, HostileRequest.good)
        _ = state.reply(closes: true, isDraining: false, now: 0)
        #expect(name(state.tick(now: 15 * Self.second)) == "close -")
        #expect(name(state.sent(now: 0)) == "linger")
        #expect(name(state.tick(now: 2 * Self.second - 1)) == "wait")
        #expect(name(state.tick(now: 2 * Self.second)) == "close -")
    }

    @Test func `at most four mebibytes are discarded after the last response`() {
        var state = makeState()
        _ = receive(&state, "x")
        _ = receive(&state, " \r\n")
        _ = state.sent(now: 0)
        let piece = String(repeating: "x", count: 64 * 1024)
        for _ in 0..<64 { #expect(name(receive(&state, piece)) == "wait") }
        #expect(name(receive(&state, "x")) == "close -")
    }

    @Test func `reading ahead stops at its limit and resumes after the response`() {
        var state = makeState()
        _ = receive(&state, HostileRequest.good)
        _ = receive(&state, HostileRequest.good + String(repeating: "x", count: 30 * 1024))
        #expect(state.wantsInput)
        _ = receive(&state, String(repeating: "x", count: 4 * 1024))
        #expect(!state.wantsInput)
        _ = state.reply(closes: false, isDraining: false, now: 0)
        #expect(name(state.sent(now: 0)) == "dispatch 21")
    }

    @Test func `requests pipelined before the end of input are answered`() {
        var state = makeState()
        _ = receive(&state, HostileRequest.good + HostileRequest.good + "POST /half")
        #expect(name(state.endOfInput()) == "wait")
        #expect(state.reply(closes: false, isDraining: false, now: 0).keeps)
        #expect(name(state.sent(now: 0)) == "dispatch 21")
        #expect(!state.wantsInput)
        _ = state.reply(closes: false, isDraining: false, now: 0)
        #expect(name(state.sent(now: 0)) == "close aborted")
    }

    @Test func `the end of input during the last request closes the connection after its response`() {
        var state = makeState()
        _ = receive(&state, HostileRequest.good)
        _ = state.endOfInput()
        #expect(!state.reply(closes: false, isDraining: false, now: 0).keeps)
        #expect(name(state.sent(now: 0)) == "close -")
    }

    @Test(arguments: [("", "close -"), ("POST /n", "close aborted")])
    func `the end of input before a complete request closes the connection`(_ text: String, _ expected: String) {
        var state = makeState()
        if !text.isEmpty { _ = receive(&state, text) }
        #expect(name(state.endOfInput()) == expected)
    }

    @Test func `a waiting client receives 100 Continue once`() {
        var state = makeState()
        let head = "POST /n HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        #expect(name(receive(&state, head)) == "continue")
        #expect(name(receive(&state, "x")) == "wait")
        #expect(name(receive(&state, "x")) == "dispatch 2")
    }

    @Test func `an HTTP 1.0 client that expects 100 Continue does not receive it`() {
        var state = makeState()
        let head = "POST /n HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"
        #expect(name(receive(&state, head)) == "wait")
        #expect(name(receive(&state, "xx")) == "dispatch 2")
    }

    @Test(arguments: ["Host: a\r\n", ""])
    func `an HTTP 1.0 request without a length has no body, and bytes after it are discarded`(_ host: String) {
        for admission in [Admission.noBody, .optionalBody(limit: 10)] {
            var state = ConnectionState(rules: ConnectionRules(limits: Limits()) { _ in admission }, now: 0)
            let next = "GET /other HTTP/1.1\r\nHost: a\r\n\r\n"
            #expect(name(receive(&state, "GET /readyz HTTP/1.0\r\n\(host)\r\n\(next)")) == "dispatch 0")
            #expect(!state.reply(closes: false, isDraining: false, now: 0).keeps)
            #expect(name(state.sent(now: 0)) == "linger")
        }
    }

    @Test(arguments: ["Transfer-Encoding: chunked\r\n", "Host: b\r\n"])
    func `an HTTP 1.0 request that is chunked or has two hosts is refused`(_ field: String) {
        var state = ConnectionState(rules: ConnectionRules(limits: Limits()) { _ in .optionalBody(limit: 10) }, now: 0)
        #expect(name(receive(&state, "GET / HTTP/1.0\r\nHost: a\r\n\(field)\r\n")) == "refuse 400 framing")
    }

    @Test func `a drain and a request with Connection: close end the connection`() {
        var state = makeState()
        _ = receive(&state, HostileRequest.good)
        #expect(!state.reply(closes: false, isDraining: true, now: 0).keeps)
        var other = makeState()
        _ = receive(&other, HostileRequest.request("Connection: close\r\n"))
        #expect(!other.reply(closes: false, isDraining: false, now: 0).keeps)
    }

    @Test func `a body of known length is read directly from the socket`() {
        var state = makeState()
        _ = receive(&state, "POST /n HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
        #expect(state.directBodyBytes == 3)
        #expect(name(state.receiveBody(now: 0) { $0.append(1) }) == "wait")
        #expect(state.directBodyBytes == 2)
        #expect(
            name(
                state.receiveBody(now: 0) {
                    $0.append(1)
                    $0.append(2)
                }) == "dispatch 5")
    }
}
