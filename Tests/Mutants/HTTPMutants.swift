// Check 2: framing and size, and the limits of the listener.

private let server = "Platform/HTTPServer/"
private let head = MutatedFile(
    .http, "2 head", server + "Parsing/RequestHeadParser.swift",
    suites: "HostileRequestTests|RequestHeadTests|LineEndTests|FramingFieldTests")
private let body = MutatedFile(
    .http, "2 body", server + "Parsing/BodyDecoder.swift", suites: "HostileRequestTests|LineEndTests")
private let state = MutatedFile(
    .http, "2 body", server + "Connection/ConnectionState.swift",
    suites: "HostileRequestTests|ConnectionStateTests|AdmissionTests"
)
private let time = MutatedFile(
    .http, "2 deadlines", server + "Connection/ConnectionState.swift",
    suites: "ConnectionStateTests|ConnectionDeadlineTests")
private let client = MutatedFile(
    .http, "2 client", server + "Parsing/ForwardedClient.swift", suites: "ForwardedClientTests")
private let proxyHeader = MutatedFile(
    .http, "2 client", server + "Parsing/ProxyHeader.swift", suites: "ForwardedClientTests")
private let named = MutatedFile(
    .http, "2 client", server + "Connection/ConnectionState.swift", suites: "ForwardedClientTests")
private let input = MutatedFile(
    .http, "2 load", server + "Loop/EventLoop+Input.swift", suites: "LoadTests|ForwardedClientTests")
private let accept = MutatedFile(
    .http, "2 load", server + "Loop/EventLoop+Accept.swift", suites: "LoadTests|EvictionTests")
private let output = MutatedFile(
    .http, "2 load", server + "Loop/EventLoop+Output.swift", suites: "HTTPServerTests/|LoadTests")
private let loop = MutatedFile(
    .http, "2 load", server + "Loop/EventLoop.swift", suites: "LateAnswerTests|LoadTests|HTTPServerTests/")
private let slots = MutatedFile(
    .http, "2 load", "Platform/Primitives/Concurrency/SlotTable.swift",
    suites: "LateAnswerTests|LoadTests|HTTPServerTests/")
private let bucket = MutatedFile(
    .http, "2 load", "Platform/Primitives/Concurrency/TokenBucket.swift", suites: "LoadTests")
private let rules = MutatedFile(
    .http, "2 deadlines", server + "Connection/ConnectionRules.swift", suites: "ConnectionStateTests")
private let drain = MutatedFile(.http, "2 drain", server + "Loop/EventLoop+Drain.swift", suites: "DrainTests")
private let encoder = MutatedFile(
    .http, "2 response", server + "Messages/ResponseEncoder.swift", suites: "HTTPServerTests/|HeadMethodTests")

enum HTTPMutants {
    static let all: [Mutant] = requestLine + fields + bodies + deadlines + clients + load

    private static let requestLine: [Mutant] = [
        head.mutant("line-length", "position < lineLimit", "true"),
        head.mutant("method-length", "position < Self.longestMethod", "true"),
        head.mutant("method-token", "byte.isHTTPTokenCharacter", after: "step = .target", "byte != Self.space"),
        head.mutant("method-empty", "position > 0", "true"),
        head.mutant("target-empty", "position > methodEnd + 1", "true"),
        head.mutant("target-slash", #"byte != UInt8(ascii: "/")"#, "false"),
        head.mutant("target-control-bytes", "byte > 32 && byte < 127", "byte != 32 && byte < 127"),
        head.mutant("target-high-bytes", "byte > 32 && byte < 127", "byte > 32"),
        head.mutant("version", "byte == expected", "true"),
        head.mutant(
            "version-minor", #"isVersion10 || byte == UInt8(ascii: "1")"#, "true"),
        head.mutant("version-1.0-chunked", "!isChunked", after: "if isVersion10 {", "true"),
        head.mutant("version-1.0-host", "isVersion10", after: "hosts == 0 && ", "true"),
        head.mutant("version-1.0-host-with-body", "contentLength == nil", after: "hosts == 0 && ", "true"),
        head.without("version-1.0-closes", "closes = true", after: "if isVersion10 {"),
        head.without("version-1.0-continue", "expectsContinue = false", after: "if isVersion10 {"),
        head.mutant("version-end", "byte == Self.carriageReturn", after: "step = .versionEnd", "true"),
        head.mutant("line-feed-of-line", "byte == Self.lineFeed", "true"),
    ]

    private static let fields: [Mutant] = [
        head.mutant("head-size", "min(head.count, fieldsStart + headLimit)", "head.count"),
        head.mutant("field-count", "fields <= fieldLimit", "true"),
        head.mutant("field-fold", "byte.isHTTPTokenCharacter", after: "mutating func startField", "true"),
        head.mutant(
            "field-name", "head[position].isHTTPTokenCharacter", "head[position] != 0x3A && head[position] > 32"),
        head.mutant("field-colon", #"head[position] == UInt8(ascii: ":")"#, "true"),
        head.mutant("value-control-bytes", "byte >= 32 && byte != 127", "byte != 127"),
        head.mutant("value-delete", "byte >= 32 && byte != 127", "byte >= 32"),
        head.mutant("line-feed-of-field", "head[position] == Self.lineFeed", after: "case .valueEnd:", "true"),
        head.mutant("line-feed-of-head", "head[position] == Self.lineFeed", after: "case .blankLineEnd:", "true"),
        head.mutant("host-absent", "hosts == 1", after: "func complete() -> Result", "true"),
        head.mutant(
            "host-twice",
            [
                head.expression("hosts == 1", after: "func complete() -> Result", "hosts >= 1"),
                head.expression("hosts == 1", after: "hosts += 1", "true"),
            ]),
        head.mutant("host-empty", "!value.isEmpty", "true"),
        head.mutant("host-tab", "!valueHasTab", after: "hosts += 1", "true"),
        head.mutant("length-twice", "contentLength == nil", after: #"nameIs("content-length", head)"#, "true"),
        head.mutant("length-tab", "!valueHasTab", after: #"nameIs("content-length", head)"#, "true"),
        head.mutant("length-empty", "range.count >= 1", "true"),
        head.mutant("length-digits", "range.count <= 18", "true"),
        head.mutant("length-below-0", #"bytes[i] >= UInt8(ascii: "0")"#, "true"),
        head.mutant("length-above-9", #"bytes[i] <= UInt8(ascii: "9")"#, "true"),
        head.mutant("encoding-twice", "!isChunked", after: #"nameIs("transfer-encoding", head)"#, "true"),
        head.mutant("encoding-tab", "!valueHasTab", after: #"nameIs("transfer-encoding", head)"#, "true"),
        head.mutant("encoding-chunked", #"Self.equals("chunked", head, value)"#, "true"),
        head.mutant("length-and-encoding", "!(isChunked && contentLength != nil)", "true"),
        head.mutant("connection-close", #"Self.listHolds("close", head, value)"#, "false"),
    ]

    private static let bodies: [Mutant] = [
        body.mutant("chunk-digits", "sizeDigits < 8", "sizeDigits < 20"),
        body.mutant("chunk-no-digit", "sizeDigits > 0", "true"),
        body.mutant("chunk-size-line-feed", "byte == RequestHeadParser.lineFeed", after: "case .sizeEnd:", "true"),
        body.mutant(
            "chunk-extension", "Self.badFraming", after: "sizeDigits < 8 else", "sizeDigits > 0 ? nil : Self.badFraming"
        ),
        body.mutant(
            "chunk-trailer", "Self.badFraming", after: "case .dataEnd, .lastEnd:",
            "step == .lastEnd ? nil : Self.badFraming"),
        body.mutant(
            "chunk-end", "byte == RequestHeadParser.carriageReturn", after: "case .dataEnd, .lastEnd:", "true"),
        body.mutant(
            "chunk-end-line-feed", "byte == RequestHeadParser.lineFeed", after: "case .dataEndLine, .lastEndLine:",
            "true"),
        body.mutant("body-limit-of-chunks", "left <= limit - bodyBytes", "true"),
        body.mutant("body-limit-of-each-chunk", "left <= limit - bodyBytes", "left <= limit"),
        state.mutant("body-limit-of-length", "length > limit", "false"),
        state.mutant("body-empty", "length == 0", "false"),
        state.mutant("body-empty-chunks", "body.isEmpty", after: "if head.isChunked, ", "false"),
        state.mutant("body-of-none", "head.isChunked || (head.contentLength ?? 0) > 0", "false"),
        state.mutant("body-encoding", "head.hasContentEncoding", "false"),
        state.mutant("expectation", "head.hasOtherExpectation", "false"),
        state.mutant("refusal-closes", "true", after: "_ = reply(closes: ", "false"),
        state.mutant("close-is-kept", "!keepsAlive", after: "closesAfterResponse = closes || ", "false"),
        state.mutant("drain-closes", "isDraining || nothingFollows", "nothingFollows"),
        state.mutant("linger-bytes", "dropped > rules.limits.lingerBytes", "false"),
        state.mutant("read-ahead", "buffer.count < rules.limits.readAheadBytes", "true"),
    ]

    private static let deadlines: [Mutant] = [
        time.mutant("header-deadline", "now + rules.headTime", after: "package init(rules:", ".max"),
        time.mutant("header-deadline-later", "now + rules.headTime", after: "func begin(now: UInt64)", ".max"),
        time.mutant("header-deadline-moved", "isIdle", after: "func begin(now: UInt64)", "true"),
        time.mutant("request-deadline", "startedAt + rules.requestTime", ".max"),
        time.mutant("request-deadline-moved", "startedAt + rules.requestTime", "now + rules.requestTime"),
        time.mutant("handler-deadline", "now + rules.handlerTime", ".max"),
        time.mutant("idle-deadline", "isFromProxy ? rules.proxyIdleTime : rules.idleTime", ".max / 2"),
        time.mutant("idle-deadline-of-proxies", "isFromProxy ? rules.proxyIdleTime : rules.idleTime", "rules.idleTime"),
        rules.mutant(
            "idle-deadline-of-proxied-connections", "limits.forwarded == .proxyProtocol", "false"),
        time.mutant("send-deadline", "now + rules.sendTime", ".max"),
        time.mutant("linger-deadline", "now + rules.lingerTime", ".max"),
    ]

    private static let clients: [Mutant] = [
        client.mutant("client-is-no-proxy", "!proxies.contains(where: { $0.contains(address) })", "true"),
        client.mutant("client-is-the-last", "nodes.reversed()", "nodes"),
        client.without("client-behind-the-unknown", "return", after: "self = .unreadable", instead: "continue"),
        client.mutant("client-quotes-that-do-not-close", "isQuoted", after: "start = index + 1", "false"),
        named.without("client-unknown-is-unlimited", "isClientNew = true", after: "hasUnknownClient = true"),
        client.mutant("client-quotes", "!isQuoted", after: "isQuoted.toggle()", "true"),
        named.mutant("client-of-anybody", "isFromProxy", after: #"isHeadMethod = head.methodIs("HEAD")"#, "true"),
        named.mutant(
            "proxy-header-of-anybody", "isFromProxy && rules.limits.forwarded == .proxyProtocol",
            "rules.limits.forwarded == .proxyProtocol"),
        named.mutant(
            "client-of-the-last-request", "rules.limits.forwarded != .proxyProtocol", after: "rules.idleTime)", "false"),
        named.mutant("client-is-a-proxy", "rules.limits.isProxy($0)", "false"),
        proxyHeader.mutant("proxy-header-signature", "bytes[index] != signature[index]", "false"),
        proxyHeader.mutant("proxy-header-version", "bytes[12] == 0x20 || bytes[12] == 0x21", "true"),
        proxyHeader.mutant("proxy-header-length", "length <= longest", "true"),
        proxyHeader.mutant("proxy-header-own", "(bytes[12], bytes[13])", "(0x21 as UInt8, bytes[13])"),
        proxyHeader.mutant("proxy-header-ipv4", "length >= 12", "length >= 4"),
        proxyHeader.mutant("proxy-header-ipv6", "length >= 36", "length >= 16"),
        input.mutant("rate-of-clients", "!connection.acceptor.rate.admits(client, now: now)", "false"),
    ]

    private static let load: [Mutant] = [
        input.mutant("in-flight", "!acceptor.slots.isFull", "true"),
        input.mutant("bytes-in-flight", "acceptor.bodyBytes > acceptor.limits.bodyBytes", "false"),
        input.mutant(
            "bytes-of-the-oldest", "connection.state.startedAt < other.state.startedAt",
            "connection.state.startedAt > other.state.startedAt"),
        input.mutant(
            "bytes-read-ahead", "connection.state.bodyBytes + connection.state.readAheadBytes",
            "connection.state.bodyBytes"),
        input.mutant("bytes-read-ahead-first", "isAhead == isOtherAhead", "true"),
        output.without("bytes-given-back", "acceptor.bodyBytes -= request.bodyBytes"),
        loop.without("bytes-given-back-at-close", "connection.acceptor.bodyBytes -= connection.countedBodyBytes"),
        output.mutant("unsent-bytes", "unsent.count <= acceptor.limits.unsentBytes - acceptor.unsentBytes", "true"),
        accept.mutant("connections", "acceptor.connections >= acceptor.limits.connections", "false"),
        accept.without("work-is-kept", "continue", after: "case .working, .sending: ", instead: "rank = 0"),
        accept.mutant(
            "first-request-leaves", "connection.state.wasServed ? 3 : 2", "connection.state.wasServed ? 2 : 3"),
        accept.without("idle-leaves", "rank = 1", after: "connection.state.isIdle: ", instead: "rank = 4"),
        accept.mutant(
            "longest-leaves",
            "(known.rank, known.connection.state.startedAt) <= (rank, connection.state.startedAt)",
            "(known.rank, known.connection.state.startedAt) >= (rank, connection.state.startedAt)"),
        accept.mutant("rate", "acceptor.rate.admits(network, now: now)", "true"),
        accept.mutant("rate-of-proxies", "isFromProxy", after: "acceptor.limits.isProxy(.ofAddress(peer))", "false"),
        bucket.mutant("rate-refill", "tokens + Double(now - refilledAt) * perNanosecond", "tokens"),
        output.mutant(
            "late-response",
            [
                output.expression("connection.number == request.number", "true"),
                output.expression("connection.state.phase == .working", "true"),
            ]),
        slots.mutant(
            "slot-of-another", "generations[key.slot] == key.generation", after: "package subscript(key: Key)", "true"),
        slots.mutant(
            "first-response-wins", "generations[key.slot] == key.generation", after: "package mutating func remove",
            "true"),
        drain.mutant("drain-grace", "time >= drain.grace", "true"),
        drain.mutant("drain-accepts", "time >= drain.accepting", "true"),
        drain.mutant("drain-limit", "drainTime >= drain.limit", "false"),
        encoder.mutant("response-field-value", "value.utf8.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 })", "true"),
        encoder.mutant("response-field-name", "name.utf8.allSatisfy(\\.isHTTPTokenCharacter)", "true"),
        encoder.mutant("response-to-head", "omitsBody", after: "if !hasBody || ", "false"),
    ]
}
