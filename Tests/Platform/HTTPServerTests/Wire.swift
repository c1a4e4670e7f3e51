import HTTPServer

/// A connection without a socket. It consumes bytes, records its decisions, and answers every complete request with
/// 200.
struct Wire {
    /// One string for each decision: `200:21` (status and body bytes) or `400 framing`; `closed` at the end.
    private(set) var verdicts: [String] = []
    private(set) var continues = 0
    private(set) var largestBody = 0
    private(set) var isClosed = false
    private var state: ConnectionState

    static let bodyLimit = 256 * 1024

    init(limits: Limits = Limits(), isFromProxy: Bool = false) {
        state = ConnectionState(
            rules: ConnectionRules(limits: limits) { head in
                if !head.targetIs("/notifications") { return .notFound }
                return head.methodIs("POST") ? .body(limit: Self.bodyLimit) : .methodNotAllowed(allow: "POST")
            }, isFromProxy: isFromProxy, now: 0)
    }

    mutating func feed(_ bytes: ArraySlice<UInt8>) {
        guard !isClosed, !bytes.isEmpty else { return }
        let bytes = Array(bytes)
        perform(state.received(bytes.span, now: 0))
    }

    mutating func end() {
        guard !isClosed else { return }
        perform(state.endOfInput())
    }

    private mutating func perform(_ first: ConnectionState.Action) {
        var action = first
        while true {
            largestBody = max(largestBody, state.bodyBytes)
            switch action {
            case .wait: return
            case .sendContinue:
                continues += 1
                return
            case .dispatch(_, let body):
                verdicts.append("200:\(body.count)")
                largestBody = max(largestBody, body.count)
                _ = state.reply(closes: false, isDraining: false, now: 0)
                action = state.sent(now: 0)
            case .refuse(let answer):
                verdicts.append("\(answer.status) \(answer.reason)")
                action = state.sent(now: 0)
            case .linger, .close:
                verdicts.append("closed")
                isClosed = true
                return
            }
        }
    }

    /// Returns the verdicts on `bytes` if they arrive in pieces that end at `cuts`.
    static func verdicts(
        _ bytes: [UInt8], cuts: some Sequence<Int> = EmptyCollection(), halfClosed: Bool = false
    ) -> [String] {
        var wire = Wire()
        var start = 0
        for cut in cuts {
            wire.feed(bytes[start..<cut])
            start = cut
        }
        wire.feed(bytes[start...])
        if halfClosed { wire.end() }
        return wire.verdicts
    }

    /// Returns the number of bytes after which further bytes cannot change the verdicts, or the full count if the
    /// connection remains open.
    static func decidedBytes(_ bytes: [UInt8]) -> Int {
        var wire = Wire()
        for index in bytes.indices {
            wire.feed(bytes[index...index])
            if wire.isClosed { return index + 1 }
        }
        return bytes.count
    }
}
