/// The limits of one listener. Deadlines are absolute times of the monotonic clock; received bytes do not extend them.
public struct Limits: Sendable {
    // Head limits. A larger head is refused with 431, a longer request line with 414.
    /// Total bytes of all header fields.
    public var headBytes = 16 * 1024
    public var headFields = 64
    public var requestLineBytes = 4 * 1024

    // Deadlines of the phases of a request.
    /// Maximum time from accept, or for a later request from its first byte, to the end of the head; after that, the
    /// connection is closed.
    public var headTime = Duration.seconds(10)
    /// Maximum time from the same start to the end of the body; after that, the request is refused with 408.
    public var requestTime = Duration.seconds(15)
    /// Maximum time from the dispatch to the response; after that, the request is answered with 503, and a later
    /// response is dropped. Deadlines are checked every 100 ms, so the 503 is sent within five seconds.
    public var handlerTime = Duration.milliseconds(4800)
    /// Maximum idle time between two requests on a connection; after that, the connection is closed.
    public var idleTime = Duration.seconds(30)
    /// Maximum idle time for connections from `proxies`. It is longer than a proxy keeps an idle upstream connection
    /// (nginx: 60 s), so that the proxy closes first and no request arrives on a socket that is being closed.
    public var proxyIdleTime = Duration.seconds(75)
    /// Maximum time from the first to the last byte of a response; after that, the connection is closed.
    public var sendTime = Duration.seconds(15)
    /// Maximum time to wait for the peer to close the connection after the last response; after that, the server closes
    /// it.
    public var lingerTime = Duration.seconds(2)
    /// Maximum number of bytes read and discarded while lingering. It matches the body size that the proxy
    /// configurations in `deploy/` allow: a connection closed before these bytes are read is reset, and the proxy
    /// answers 502 instead of passing on the refusal.
    public var lingerBytes = 4 * 1024 * 1024

    // Concurrency limits.
    public var connections = 1024
    /// Maximum number of requests dispatched and not yet answered by the handler. Further requests are refused with
    /// 503.
    public var inFlight = 512
    /// Maximum number of body bytes received for unanswered requests, plus bytes read ahead of requests in progress.
    /// Above the limit, requests on connections with read-ahead bytes are refused with 503 first, then the request
    /// whose body has been arriving longest.
    public var bodyBytes = 64 * 1024 * 1024
    /// Maximum number of response bytes that clients have not read yet. Above the limit, the connection is closed.
    public var unsentBytes = 64 * 1024 * 1024
    /// Maximum number of bytes read ahead of a request that is still in progress.
    public var readAheadBytes = 32 * 1024

    // Limit on new connections.
    /// Maximum number of connections per second and network (/24 or /56), with a burst of twice that number; further
    /// connections are closed. 0 disables the limit.
    public var connectsPerSecond = 2000

    // Proxies in front of the listener.
    /// Trusted proxies: their connections are not rate-limited, and the client address they report is believed.
    package var proxies: [NetworkPrefix] = []
    /// How proxies report the client. The client's network then replaces the proxy's in the log and in the connection
    /// rate limit, where each request counts as a connection (refused with 429), because one proxy connection carries
    /// many clients. With `proxyProtocol` a connection carries one client and counts once.
    package var forwarded = ForwardedAddress.off

    public init() {}

    func isProxy(_ address: NetworkPrefix) -> Bool { proxies.contains { $0.contains(address) } }

    /// Limits for a listener that untrusted clients can reach.
    public static var `public`: Limits { Limits() }

    /// Limits for a listener that serves livez, readyz and metrics.
    public static var admin: Limits {
        var limits = Limits()
        limits.connections = 64
        limits.inFlight = 64
        limits.bodyBytes = 1024 * 1024
        limits.connectsPerSecond = 0
        return limits
    }

    /// Limits for read APIs and consoles used by the operator's own services.
    public static var readAPI: Limits {
        var limits = Limits()
        limits.connections = 128
        limits.inFlight = 128
        limits.bodyBytes = 16 * 1024 * 1024
        limits.connectsPerSecond = 0
        return limits
    }
}
