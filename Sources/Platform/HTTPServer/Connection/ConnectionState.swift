internal import Primitives

/// The state machine of one connection, without the socket. Its inputs are bytes, the end of input, ticks and
/// responses; its outputs are actions.
///
/// One request is in progress at a time. The next one is parsed after the response has been sent.
package struct ConnectionState {
    package enum Phase: Sendable { case head, body, working, sending, lingering }

    /// An instruction to the socket's owner in response to an input.
    package enum Action {
        /// Wait for the next event. Read the socket only if `wantsInput` is true.
        case wait
        /// Send `100 Continue`, then wait for more input.
        case sendContinue
        /// Dispatch the request, or call `refuse` if no slot is free.
        case dispatch(RequestHead, body: [UInt8])
        /// Send this response and close the connection. `reply` has already been called.
        case refuse(HTTPResponse)
        /// Shut down the output, and read and discard further input.
        case linger
        /// Close the socket. A reason means that a request ended without a response.
        case close(reason: String?)
    }

    private static let pieceBytes = 64 * 1024

    private let rules: ConnectionRules
    package let isFromProxy: Bool
    package private(set) var phase = Phase.head
    /// Whether the connection is waiting for the first byte of a request.
    package private(set) var isIdle = true
    /// Whether a request on this connection has already been answered.
    package private(set) var wasServed = false
    /// The time when the current request started or, if the connection is idle, when it became idle. The first request
    /// starts when the connection is accepted.
    package private(set) var startedAt: UInt64
    package private(set) var deadline: UInt64
    /// The number of body bytes of the current request that have arrived but have not been dispatched.
    package var bodyBytes: Int { body.count }
    /// The number of bytes received after the request in progress.
    package var readAheadBytes: Int { phase == .working || phase == .sending ? buffer.count : 0 }
    /// The number of body bytes of the current request, including dispatched ones.
    package private(set) var receivedBodyBytes = 0

    /// The client's network for the current request, as reported by a proxy, or nil if no proxy reported one.
    package private(set) var client: NetworkPrefix?
    /// Whether a proxy sent the current request without a readable client address. All of a proxy's unidentified
    /// clients are counted together, under the proxy's own network.
    package private(set) var hasUnknownClient = false
    private var isClientNew = false
    private var awaitsProxyHeader: Bool

    private var parser: RequestHeadParser
    private var head: RequestHead?
    private var decoder = BodyDecoder(length: 0)
    private var body: [UInt8] = []
    /// Received bytes that have not been consumed: part of a head, or bytes after the request in progress.
    private var buffer: [UInt8] = []
    private var isHeadMethod = false
    private var needsBody = true
    private var keepsAlive = true
    private var inputEnded = false
    private var closesAfterResponse = false
    private var dropped = 0

    /// - Parameter isFromProxy: whether the peer is one of the listener's `proxies`.
    package init(rules: ConnectionRules, isFromProxy: Bool = false, now: UInt64) {
        self.rules = rules
        self.isFromProxy = isFromProxy
        awaitsProxyHeader = isFromProxy && rules.limits.forwarded == .proxyProtocol
        startedAt = now
        deadline = now + rules.headTime
        parser = RequestHeadParser(limits: rules.limits)
    }

    // MARK: Input

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

    /// Whether the socket should be read now.
    package var wantsInput: Bool {
        switch phase {
        case .head, .body, .lingering: !inputEnded
        case .working: !inputEnded && buffer.count < rules.limits.readAheadBytes
        case .sending: false
        }
    }

    /// The number of bytes that the body can receive directly from the socket. If 0, use `received` instead.
    package var directBodyBytes: Int { phase == .body && decoder.hasKnownLength && buffer.isEmpty ? decoder.left : 0 }

    /// Receives the next bytes from `fill`, which writes them directly into the body. The length of the body must be
    /// known.
    package mutating func receiveBody(now: UInt64, _ fill: (inout OutputSpan<UInt8>) -> Void) -> Action {
        let before = body.count
        let piece = min(decoder.left, Self.pieceBytes)
        body.reserveWiping(piece)
        body.append(addingCapacity: piece, initializingWith: fill)
        decoder.took(body.count - before)
        receivedBodyBytes = body.count
        return decoder.left == 0 ? dispatch(now: now) : .wait
    }

    /// Handles the end of input: the peer sends no more bytes, but may still read.
    package mutating func endOfInput() -> Action {
        inputEnded = true
        switch phase {
        case .head: return .close(reason: isIdle ? nil : "aborted")
        case .body: return .close(reason: "aborted")
        case .working, .sending: return .wait
        case .lingering: return .close(reason: nil)
        }
    }

    /// Returns the reason code for the request that ends because the connection was lost, or nil if no request is
    /// unanswered.
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

    /// Processes more bytes of the request. Returns the action and the number of bytes consumed.
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

    /// Records the client that a proxy reports. A proxy's own request, such as a health check, has no client.
    private mutating func name(_ address: NetworkPrefix?) {
        client = address.flatMap { rules.limits.isProxy($0) ? nil : $0.peerNetwork }
        isClientNew = client != nil
    }

    /// Records the client that a request's header fields report.
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

    /// Returns the network that a rate limit should charge for a new client behind a proxy, once per request or, with
    /// the PROXY protocol, once per connection. Returns nil at any other time, and for the proxy's own requests.
    ///
    /// - Parameter peer: the proxy's network, which is charged for clients that the proxy did not identify.
    package mutating func takeNewClient(peer: NetworkPrefix? = nil) -> NetworkPrefix? {
        defer { isClientNew = false }
        return isClientNew ? client ?? peer : nil
    }

    private mutating func begin(now: UInt64) {
        guard isIdle else { return }
        isIdle = false
        // The first request starts when the connection is accepted; a later one starts with its first byte.
        if wasServed {
            startedAt = now
            deadline = now + rules.headTime
        }
    }

    // MARK: Admission

    /// Checks a complete head. Returns nil if the body may follow.
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
            // Let the body grow as it arrives, so that an announced length alone cannot reserve memory.
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
        // Unreachable, because a head always precedes a body. If it happens, only this request is refused.
        guard let head else { return refuse(400, "framing", now: now) }
        if head.isChunked, body.isEmpty, needsBody { return refuse(400, "empty", now: now) }
        phase = .working
        deadline = now + rules.handlerTime
        self.head = nil
        defer { body = [] }
        return .dispatch(head, body: body)
    }

    /// Refuses the current request: sends the response and closes the connection.
    package mutating func refuse(_ status: Int, _ reason: String, now: UInt64) -> Action {
        refuse(HTTPResponse(status: status, reason: reason, closes: true), now: now)
    }

    private mutating func refuse(_ response: HTTPResponse, now: UInt64) -> Action {
        _ = reply(closes: true, isDraining: false, now: now)
        return .refuse(response)
    }

    // MARK: Responses

    /// Records that a response is about to be sent. Returns whether the connection remains open and whether the
    /// response omits the body (HEAD).
    package mutating func reply(closes: Bool, isDraining: Bool, now: UInt64) -> (keeps: Bool, omitsBody: Bool) {
        // After the end of input, only buffered bytes remain.
        let nothingFollows = inputEnded && buffer.isEmpty
        closesAfterResponse = closes || !keepsAlive || isDraining || nothingFollows
        phase = .sending
        deadline = now + rules.sendTime
        // The bytes of a dispatched request belong to the handler, so they are not wiped here.
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

    /// Handles the end of a response, when the kernel has accepted its last byte.
    package mutating func sent(now: UInt64) -> Action {
        if closesAfterResponse {
            // If the server stopped reading, the kernel would answer late bytes with a reset, and the client might see
            // the reset instead of the response.
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

    /// Wipes received bytes that were not dispatched. Called when the connection is closed.
    package func wipe() {
        head?.wipe()
        body.wipe()
        buffer.wipe()
    }

    // MARK: Deadlines

    /// Ends the current phase if its deadline has passed. Called periodically.
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
