internal import Bytes

/// One connection without its socket: bytes, end of input, ticks and responses go in, actions come out.
///
/// One request is in progress at a time; the next one is parsed when the response has been sent.
package struct ConnectionState {
    package enum Phase: Sendable { case head, body, working, sending, lingering }

    /// What the owner of the socket is to do. Each call returns one.
    package enum Action {
        /// Nothing but to wait: for input when `wantsInput`, or for the response.
        case wait
        /// Send `100 Continue`, then wait for more input.
        case sendContinue
        /// Dispatch the request, or call `refuse` when there is no room.
        case dispatch(RequestHead, body: [UInt8])
        /// Send this response and close; `reply` was called already.
        case refuse(HTTPResponse)
        /// End the output, read and drop what still comes.
        case linger
        /// Close the socket. With a reason: a request ended without a response.
        case close(reason: String?)
    }

    private static let pieceBytes = 64 * 1024

    private let rules: ConnectionRules
    private let isFromProxy: Bool
    package private(set) var phase = Phase.head
    /// Nothing of the next request has come.
    package private(set) var isIdle = true
    /// A request was answered before.
    package private(set) var wasServed = false
    /// When the request began; for the first one, when the connection was accepted.
    package private(set) var startedAt: UInt64
    package private(set) var deadline: UInt64
    /// Body bytes of the present request that have arrived and not been dispatched.
    package var bodyBytes: Int { body.count }
    /// Bytes that have arrived behind the request in progress.
    package var readAheadBytes: Int { phase == .working || phase == .sending ? buffer.count : 0 }
    /// Body bytes of the present request, also after they were dispatched.
    package private(set) var receivedBodyBytes = 0

    /// The network of the client that a proxy named, for the present request; nil: whoever connected.
    package private(set) var client: NetworkPrefix?
    /// A proxy passed on the present request of a client whose address it did not name, or not readably. All such
    /// clients of a proxy count as one: its own network.
    package private(set) var hasUnknownClient = false
    private var isClientNew = false
    private var awaitsProxyHeader: Bool

    private var parser: RequestHeadParser
    private var head: RequestHead?
    private var decoder = BodyDecoder(length: 0)
    private var body: [UInt8] = []
    /// Bytes that came and were not consumed: part of a head, or what follows the request in progress.
    private var buffer: [UInt8] = []
    private var isHeadMethod = false
    private var needsBody = true
    private var keepsAlive = true
    private var inputEnded = false
    private var closesAfterResponse = false
    private var dropped = 0

    /// - Parameter isFromProxy: the peer is one of the listener's `proxies`.
    package init(rules: ConnectionRules, isFromProxy: Bool = false, now: UInt64) {
        self.rules = rules
        self.isFromProxy = isFromProxy
        awaitsProxyHeader = isFromProxy && rules.limits.forwarded == .proxyProtocol
        startedAt = now
        deadline = now + rules.headTime
        parser = RequestHeadParser(limits: rules.limits)
    }

    // MARK: input

    package mutating func received(_ bytes: Span<UInt8>, now: UInt64) -> Action {
        switch phase {
        case .lingering:
            dropped += bytes.count
            return dropped > rules.limits.lingerBytes ? .close(reason: nil) : .wait
        case .working, .sending:
            append(bytes, from: 0)
            return .wait
        case .head, .body:
            guard !buffer.isEmpty else {
                let (action, taken) = advance(bytes, now: now)
                append(bytes, from: taken)
                return action
            }
            append(bytes, from: 0)
            return advanceBuffer(now: now)
        }
    }

    /// Whether bytes are to be read now.
    package var wantsInput: Bool {
        switch phase {
        case .head, .body, .lingering: !inputEnded
        case .working: !inputEnded && buffer.count < rules.limits.readAheadBytes
        case .sending: false
        }
    }

    /// How many bytes the body can take straight from the socket; 0: use `received`.
    package var directBodyBytes: Int { phase == .body && decoder.hasKnownLength && buffer.isEmpty ? decoder.left : 0 }

    /// Lets `fill` put bytes of a known length straight into the body.
    package mutating func receiveBody(now: UInt64, _ fill: (inout OutputSpan<UInt8>) -> Void) -> Action {
        let before = body.count
        let piece = min(decoder.left, Self.pieceBytes)
        body.reserveWiping(piece)
        body.append(addingCapacity: piece, initializingWith: fill)
        decoder.took(body.count - before)
        receivedBodyBytes = body.count
        return decoder.left == 0 ? dispatch(now: now) : .wait
    }

    /// The peer sends no more; it may still read.
    package mutating func endOfInput() -> Action {
        inputEnded = true
        switch phase {
        case .head: return .close(reason: isIdle ? nil : "aborted")
        case .body: return .close(reason: "aborted")
        case .working, .sending: return .wait
        case .lingering: return .close(reason: nil)
        }
    }

    /// The peer is gone: why the request ended, if there was one.
    package func lost() -> String? {
        switch phase {
        case .head: isIdle ? nil : "aborted"
        case .body, .working: "aborted"
        case .sending, .lingering: nil
        }
    }

    private mutating func append(_ bytes: Span<UInt8>, from start: Int) {
        guard start < bytes.count, phase != .lingering else { return }
        bytes.extracting(start...).withUnsafeBufferPointer { buffer.appendWiping($0) }
    }

    private mutating func advanceBuffer(now: UInt64) -> Action {
        let bytes = buffer
        buffer = []
        let (action, taken) = advance(bytes.span, now: now)
        if taken == 0, !closesAfterResponse {
            buffer = bytes
        } else {
            if taken < bytes.count, !closesAfterResponse { buffer = Array(bytes[taken...]) }
            bytes.wipe()
        }
        return action
    }

    /// Goes on with the request; returns how many bytes were consumed for good.
    private mutating func advance(_ bytes: Span<UInt8>, now: UInt64) -> (Action, taken: Int) {
        var taken = 0
        if phase == .head {
            if awaitsProxyHeader {
                switch ProxyHeader.parse(bytes) {
                case .needMore: return (.wait, 0)
                case .malformed: return (refuse(400, "proxy_header", now: now), bytes.count)
                case .complete(let count, let client):
                    taken = count
                    awaitsProxyHeader = false
                    name(client)
                }
            }
            guard taken < bytes.count else { return (.wait, taken) }
            begin(now: now)
            let bytes = bytes.extracting(taken...)
            switch parser.parse(bytes) {
            case .needMore: return (.wait, taken)
            case .refuse(let status, let reason): return (refuse(status, reason, now: now), taken + bytes.count)
            case .complete(let count):
                taken += count
                if let refusal = admit(bytes.extracting(..<count), now: now) { return (refusal, taken + bytes.count) }
            }
        }
        let result = decoder.decode(bytes.extracting(taken...), into: &body)
        receivedBodyBytes = body.count
        switch result {
        case .refuse(let status, let reason): return (refuse(status, reason, now: now), bytes.count)
        case .complete(let count): return (dispatch(now: now), taken + count)
        case .needMore:
            let waitsForContinue = taken > 0 && taken == bytes.count && head?.expectsContinue == true
            return (waitsForContinue ? .sendContinue : .wait, bytes.count)
        }
    }

    /// A proxy that calls for itself, e.g. to check our health, is no client.
    private mutating func name(_ address: NetworkPrefix?) {
        client = address.flatMap { rules.limits.isProxy($0) ? nil : $0.peerNetwork }
        isClientNew = client != nil
    }

    /// Takes the client that a proxy names in the fields of a request.
    private mutating func nameClient(in head: RequestHead) {
        switch ForwardedClient(head, named: rules.limits.forwarded, proxies: rules.limits.proxies) {
        case .address(let address): name(address)
        case .proxy: name(nil)
        case .unreadable:
            name(nil)
            hasUnknownClient = true
            isClientNew = true
        }
    }

    /// The network that a request behind a proxy counts for, once after its head is complete; nil where the proxy calls
    /// for itself.
    ///
    /// - Parameter peer: the proxy's network, for clients that it did not name.
    package mutating func takeNewClient(peer: NetworkPrefix? = nil) -> NetworkPrefix? {
        defer { isClientNew = false }
        return isClientNew ? client ?? peer : nil
    }

    private mutating func begin(now: UInt64) {
        guard isIdle else { return }
        isIdle = false
        // A first request counts from accept, a later one from its first byte.
        if wasServed {
            startedAt = now
            deadline = now + rules.headTime
        }
    }

    // MARK: admission

    /// The head is complete. Returns nil when the body may come.
    private mutating func admit(_ bytes: Span<UInt8>, now: UInt64) -> Action? {
        let head = RequestHead(bytes: bytes.withUnsafeBufferPointer { Array($0) }, parser: parser)
        self.head = head
        isHeadMethod = head.methodIs("HEAD")
        if isFromProxy, rules.limits.forwarded != .off, rules.limits.forwarded != .proxyProtocol {
            nameClient(in: head)
        }
        let admission = rules.admit(head)
        if let refusal = check(head, admission, now: now) { return refusal }
        phase = .body
        if case .optionalBody = admission { needsBody = false } else { needsBody = true }
        deadline = startedAt + rules.requestTime
        keepsAlive = !head.closes
        if let limit = admission.bodyLimit, head.isChunked {
            decoder = BodyDecoder(chunkedLimit: limit)
        } else {
            let length = head.contentLength ?? 0
            decoder = BodyDecoder(length: length)
            // An announced length is not believed with memory: a body grows as it arrives.
            body.reserveCapacity(min(length, Self.pieceBytes))
        }
        return nil
    }

    private mutating func check(_ head: RequestHead, _ admission: Admission, now: UInt64) -> Action? {
        switch admission {
        case .refuse(let status, let reason):
            return refuse(status, reason, now: now)
        case .methodNotAllowed(let allow):
            return refuse(
                HTTPResponse(status: 405, reason: "method", headers: [("Allow", allow)], closes: true), now: now)
        case .unauthorized(let challenge):
            return refuse(
                HTTPResponse(
                    status: 401, reason: "unauthorized", headers: [("WWW-Authenticate", challenge)], closes: true),
                now: now)
        case .noBody:
            let hasBody = head.isChunked || (head.contentLength ?? 0) > 0
            return hasBody ? refuse(413, "too_large", now: now) : nil
        case .body(let limit), .optionalBody(let limit):
            if head.hasContentEncoding { return refuse(415, "encoding", now: now) }
            if head.hasOtherExpectation { return refuse(417, "expect", now: now) }
            if head.isChunked { return nil }
            let length = head.contentLength ?? 0
            if length == 0, case .body = admission { return refuse(400, "empty", now: now) }
            return length > limit ? refuse(413, "too_large", now: now) : nil
        }
    }

    private mutating func dispatch(now: UInt64) -> Action {
        // Never without: a body follows a head. If it were, one request would be refused.
        guard let head else { return refuse(400, "framing", now: now) }
        if head.isChunked, body.isEmpty, needsBody { return refuse(400, "empty", now: now) }
        phase = .working
        deadline = now + rules.handlerTime
        self.head = nil
        defer { body = [] }
        return .dispatch(head, body: body)
    }

    /// Refuses the present request: answer and close.
    package mutating func refuse(_ status: Int, _ reason: String, now: UInt64) -> Action {
        refuse(HTTPResponse(status: status, reason: reason, closes: true), now: now)
    }

    private mutating func refuse(_ response: HTTPResponse, now: UInt64) -> Action {
        _ = reply(closes: true, isDraining: false, now: now)
        return .refuse(response)
    }

    // MARK: responses

    /// A response is about to be sent. Returns whether the connection is kept, and whether its body is left out (HEAD).
    package mutating func reply(closes: Bool, isDraining: Bool, now: UInt64) -> (keeps: Bool, omitsBody: Bool) {
        // After the end of input only what is here already can follow.
        let nothingFollows = inputEnded && buffer.isEmpty
        closesAfterResponse = closes || !keepsAlive || isDraining || nothingFollows
        phase = .sending
        deadline = now + rules.sendTime
        // Not those of a request that was dispatched: they are the handler's.
        head?.wipe()
        head = nil
        body.wipe()
        body = []
        if closesAfterResponse {
            buffer.wipe()
            buffer = []
        }
        return (!closesAfterResponse, isHeadMethod)
    }

    /// The last byte of the response was taken by the system.
    package mutating func sent(now: UInt64) -> Action {
        if closesAfterResponse {
            // Without reading on, the system would answer late bytes with a reset, and the client might see that
            // instead of the response.
            phase = .lingering
            deadline = now + rules.lingerTime
            return inputEnded ? .close(reason: nil) : .linger
        }
        phase = .head
        isIdle = true
        wasServed = true
        isHeadMethod = false
        startedAt = now
        deadline = now + (isFromProxy ? rules.proxyIdleTime : rules.idleTime)
        if rules.limits.forwarded != .proxyProtocol { client = nil }
        hasUnknownClient = false
        parser = RequestHeadParser(limits: rules.limits)
        receivedBodyBytes = 0
        let action = advanceBuffer(now: now)
        if inputEnded, case .wait = action { return .close(reason: isIdle ? nil : "aborted") }
        return action
    }

    /// The connection ends: overwrites what was received and not dispatched.
    package func wipe() {
        head?.wipe()
        body.wipe()
        buffer.wipe()
    }

    // MARK: time

    /// Called now and then: ends a phase that lasts too long.
    package mutating func tick(now: UInt64) -> Action {
        guard now >= deadline else { return .wait }
        switch phase {
        case .head: return .close(reason: isIdle ? (wasServed ? nil : "idle") : "slow")
        case .body: return refuse(408, "slow", now: now)
        case .working: return refuse(503, "deadline", now: now)
        case .sending, .lingering: return .close(reason: nil)
        }
    }
}
