import HTTPServer
import TestSupport

extension FuzzTarget {
    /// Feeds bytes to a connection in arbitrary pieces, with immediate or late responses. The requests and the end must
    /// always be the same, and buffered data must stay within the limits.
    static let connection = FuzzTarget(
        "connection", seeds: RequestSeeds.requests, tokens: RequestSeeds.tokens, maximumBytes: 2048
    ) { bytes throws(Violation) in
        var random = SeededGenerator(hashing: bytes)
        var calm = ConnectionScript(
            bytes, longest: bytes.count, random: random, answersLate: false, takesBodiesDirectly: false)
        let expected = try calm.run()
        for longest in [1, 7, 90] {
            for answersLate in [false, true] {
                _ = random.next()
                var script = ConnectionScript(
                    bytes, longest: longest, random: random, answersLate: answersLate,
                    takesBodiesDirectly: random.oneIn(2))
                let events = try script.run()
                try hold(
                    events == expected,
                    "\(expected), but in pieces up to \(longest), answers late: \(answersLate), \(events)")
            }
        }
    }
}

/// A script that feeds a stream of bytes to a connection.
struct ConnectionScript {
    private let stream: [UInt8]
    private let longest: Int
    private var random: SeededGenerator
    private let answersLate: Bool
    private let takesBodiesDirectly: Bool
    private var state: ConnectionState
    private var position = 0
    private var readAhead = 0
    private var events: [String] = []
    private var hasEnded = false

    init(_ stream: [UInt8], longest: Int, random: SeededGenerator, answersLate: Bool, takesBodiesDirectly: Bool) {
        self.stream = stream
        self.longest = longest
        self.random = random
        self.answersLate = answersLate
        self.takesBodiesDirectly = takesBodiesDirectly
        let rules = ConnectionRules(limits: RequestSeeds.limits) { head in
            head.isGetOrHead ? .noBody : head.methodIs("POST") ? .body(limit: RequestSeeds.bodyLimit) : .notFound
        }
        state = ConnectionState(rules: rules, now: 0)
    }

    mutating func run() throws(Violation) -> [String] {
        while !hasEnded {
            let waitsForAnswer = state.phase == .working
            let takesMore = state.wantsInput && position < stream.count && (!waitsForAnswer || answersLate)
            if takesMore {
                perform(try feed())
            } else if waitsForAnswer {
                answer()
            } else {
                break
            }
            try checkMemory()
        }
        if !hasEnded { events.append("open \(state.phase) \(state.isIdle)") }
        return events
    }

    private mutating func feed() throws(Violation) -> ConnectionState.Action {
        if takesBodiesDirectly, state.directBodyBytes > 0 { return try feedBody() }
        let most = state.phase == .working ? RequestSeeds.limits.readAheadBytes : stream.count
        let count = min(stream.count - position, most, 1 + random.below(longest))
        let piece = Array(stream[position..<position + count])
        position += count
        if state.phase == .working { readAhead += count }
        return state.received(piece.span, now: 0)
    }

    private mutating func feedBody() throws(Violation) -> ConnectionState.Action {
        let room = state.directBodyBytes
        let count = min(stream.count - position, room, 1 + random.below(longest))
        let bytes = stream[position..<position + count]
        position += count
        return state.receiveBody(now: 0) { space in
            for byte in bytes where !space.isFull { space.append(byte) }
        }
    }

    private mutating func perform(_ first: ConnectionState.Action) {
        switch first {
        // Whether 100 Continue is sent depends on the bytes received so far, so it is not recorded.
        case .wait, .sendContinue: break
        case .dispatch(let head, let body):
            readAhead = 0
            events.append("\(head.method) \(head.target) \(body)")
        case .refuse(let answer):
            events.append("refuse \(answer.status) \(answer.reason)")
            hasEnded = true
        case .linger:
            events.append("linger")
            hasEnded = true
        case .close(let reason):
            events.append("close \(reason ?? "-")")
            hasEnded = true
        }
    }

    private mutating func answer() {
        _ = state.reply(closes: false, isDraining: false, now: 0)
        perform(state.sent(now: 0))
    }

    private func checkMemory() throws(Violation) {
        let limits = RequestSeeds.limits
        try hold(state.bodyBytes <= RequestSeeds.bodyLimit, "a body of \(state.bodyBytes) bytes")
        try hold(state.directBodyBytes <= RequestSeeds.bodyLimit, "space for \(state.directBodyBytes) bytes of a body")
        // Reading ahead stops at its limit, but the last read may itself have the size of the limit.
        try hold(readAhead <= 2 * limits.readAheadBytes, "\(readAhead) bytes read ahead")
        try hold(position <= stream.count, "more bytes consumed than given")
    }
}
