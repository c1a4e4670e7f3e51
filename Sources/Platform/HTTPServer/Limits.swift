/// The bounds of one listener. Times are `Duration`s of the monotonic clock; deadlines are absolute, no byte moves them.
public struct Limits: Sendable {
    // What a head may be. Beyond: 431, for the request line 414.
    /// Bytes of the fields together.
    public var headBytes = 16 * 1024
    public var headFields = 64
    public var requestLineBytes = 4 * 1024

    // How long each phase may last.
    /// From accept, or from the first byte of a later request, to the end of the head. Then: closed.
    public var headTime = Duration.seconds(10)
    /// From the same start to the end of the body. Then: 408.
    public var requestTime = Duration.seconds(15)
    /// From the dispatch to the response. Then: 503; a later response is dropped. Deadlines are looked at every
    /// 100 ms, so this answer comes within five seconds.
    public var handlerTime = Duration.milliseconds(4800)
    /// Between two requests of a connection. Then: closed.
    public var idleTime = Duration.seconds(30)
    /// The same for connections of `proxies`: longer than a proxy keeps a connection to its upstream (nginx: 60 s), so
    /// that it is the proxy that closes, and no request meets a socket that is being closed.
    public var proxyIdleTime = Duration.seconds(75)
    /// From the first byte of an answer to its last. Then: closed.
    public var sendTime = Duration.seconds(15)
    /// After the last answer, until the peer closes. Then: closed.
    public var lingerTime = Duration.seconds(2)
    /// Bytes that are read and dropped meanwhile. As many as the proxies' recipes let pass: a connection that is closed
    /// before they are read is reset, and the proxy answers 502 in place of the refusal.
    public var lingerBytes = 4 * 1024 * 1024

    // How much at once.
    public var connections = 1024
    /// Requests dispatched and not yet answered by the handler. Beyond: 503.
    public var inFlight = 512
    /// Body bytes that have arrived and whose requests are not yet answered, and bytes read ahead of requests in
    /// progress. Beyond: first the requests of connections that were read ahead are refused with 503, then the body that
    /// has been arriving longest.
    public var bodyBytes = 64 * 1024 * 1024
    /// Bytes of answers that clients have not taken yet. Beyond: the connection is closed.
    public var unsentBytes = 64 * 1024 * 1024
    /// Bytes read ahead of a request that is still in progress.
    public var readAheadBytes = 32 * 1024

    // How many new connections.
    /// Connections a second and network (/24 or /56), twice as many in a burst; beyond: closed. 0: no limit.
    public var connectsPerSecond = 2000

    // Who is in between.
    /// One's own proxies: their connections are not limited a second, and their word on the client is believed.
    package var proxies: [NetworkPrefix] = []
    /// How they name the client, whose network then stands in the place of theirs: in the log, and for the limit of
    /// connections a second, where each request counts as a connection (429), because one connection of a proxy
    /// carries many clients. With `proxyProtocol` a connection carries one client and counts once.
    package var forwarded = ForwardedAddress.off

    public init() {}

    func isProxy(_ address: NetworkPrefix) -> Bool { proxies.contains { $0.contains(address) } }

    /// For the listener that untrusted clients reach.
    public static var `public`: Limits { Limits() }

    /// For livez, readyz and metrics.
    public static var admin: Limits {
        var limits = Limits()
        limits.connections = 64
        limits.inFlight = 64
        limits.bodyBytes = 1024 * 1024
        limits.connectsPerSecond = 0
        return limits
    }

    /// For read APIs and consoles of one's own services.
    public static var readAPI: Limits {
        var limits = Limits()
        limits.connections = 128
        limits.inFlight = 128
        limits.bodyBytes = 16 * 1024 * 1024
        limits.connectsPerSecond = 0
        return limits
    }
}
