/// The limits for one listener. Deadlines are absolute monotonic times that received bytes do not extend.
public struct Limits: Sendable {
    // Limits for heads. A larger head is refused with 431, a longer request line with 414.
    /// The maximum total size of all header fields in bytes.
    public var headBytes = 16 * 1024
    public var headFields = 64
    public var requestLineBytes = 4 * 1024

    // Deadlines for the phases of a request.
    /// The maximum time from accepting the connection, or from the first byte of a later request, to the end of the
    /// head. After that, the connection is closed.
    public var headTime = Duration.seconds(10)
    /// The maximum time from the same starting point to the end of the body. After that, the request is refused with
    /// 408.
    public var requestTime = Duration.seconds(15)
    /// The maximum time from dispatch to the response. After that, the request is answered with 503, and a later
    /// response is dropped. Deadlines are checked every 100 ms, so the 503 is sent within five seconds.
    public var handlerTime = Duration.milliseconds(4800)
    /// The maximum idle time between two requests on a connection. After that, the connection is closed.
    public var idleTime = Duration.seconds(30)
    /// The maximum idle time for connections from `proxies`. It is longer than a proxy's limit for idle upstream
    /// connections (nginx: 60 s), so that the proxy closes first and does not send a request on a connection that is
    /// being closed.
    public var proxyIdleTime = Duration.seconds(75)
    /// The maximum time from the first to the last byte of a response. After that, the connection is closed.
    public var sendTime = Duration.seconds(15)
    /// The maximum time for the peer to close the connection after the last response. After that, the server closes it.
    public var lingerTime = Duration.seconds(2)
    /// The maximum number of bytes read and discarded while lingering. It equals the body size that the proxy
    /// configurations in `deploy/` allow. A connection that is closed before these bytes are read is reset; the proxy
    /// then answers 502 instead of passing on the refusal.
    public var lingerBytes = 4 * 1024 * 1024

    // Limits for concurrency.
    public var connections = 1024
    /// The maximum number of requests that have been dispatched but not yet answered by the handler. Further requests
    /// are refused with 503.
    public var inFlight = 512
    /// The maximum number of buffered request bytes: bodies of unanswered requests, and bytes read ahead on connections
    /// with a request in progress. Above the limit, requests are refused with 503: first on connections with read-ahead
    /// bytes, then the request that has been receiving its body the longest.
    public var bodyBytes = 64 * 1024 * 1024
    /// The maximum number of response bytes that are waiting to be sent. If a response would exceed this maximum, the
    /// response's connection is closed.
    public var unsentBytes = 64 * 1024 * 1024
    /// The maximum number of bytes read ahead on a connection with a request in progress.
    public var readAheadBytes = 32 * 1024

    // Limit for new connections.
    /// The maximum number of connections per network (/24 or /56) per second, with a burst of twice that number.
    /// Further connections are closed. 0 disables the limit.
    public var connectsPerSecond = 2000

    // Proxies in front of the listener.
    /// Trusted proxies. Their connections are not rate-limited, and the server trusts the client addresses that they
    /// report.
    package var proxies: [NetworkPrefix] = []
    /// How proxies report the client, whose network replaces the proxy's in the log and in the connection rate limit.
    /// Except with `proxyProtocol`, one proxy connection serves many clients, so each request counts as a connection,
    /// and a request above the limit is refused with 429. With `proxyProtocol`, a connection serves one client and
    /// counts once.
    package var forwarded = ForwardedAddress.off

    public init() {}

    func isProxy(_ address: NetworkPrefix) -> Bool { proxies.contains { $0.contains(address) } }

    /// The limits for a listener that untrusted clients can reach.
    public static var `public`: Limits { Limits() }

    /// The limits for a listener that serves livez, readyz and metrics.
    public static var admin: Limits {
        var limits = Limits()
        limits.connections = 64
        limits.inFlight = 64
        limits.bodyBytes = 1024 * 1024
        limits.connectsPerSecond = 0
        return limits
    }

    /// The limits for read APIs and consoles that the operator's own services use.
    public static var readAPI: Limits {
        var limits = Limits()
        limits.connections = 128
        limits.inFlight = 128
        limits.bodyBytes = 16 * 1024 * 1024
        limits.connectsPerSecond = 0
        return limits
    }
}
