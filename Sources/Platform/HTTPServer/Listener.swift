/// An address that the server listens on, with the handlers of its requests.
///
/// `admit`, `handle` and `passEnded` run on the loop thread: they must not block or throw, and may take only locks that
/// are held briefly.
public struct Listener: Sendable {
    /// Name for metrics and the log, e.g. `notifications` or `admin`.
    public var name: StaticString
    /// Numeric IPv4 or IPv6 address, or `localhost` (127.0.0.1).
    public var host: String
    /// Port to bind; 0 lets the system choose one (`HTTPServer.port(of:)`).
    public var port: UInt16
    public var limits: Limits
    /// Decides whether to accept a request, given its head, before any byte of the body is read.
    public var admit: @Sendable (RequestHead) -> Admission
    /// Handles a complete request. It answers the exchange once, at any time and from any thread.
    public var handle: @Sendable (HTTPRequest, Exchange) -> Void
    /// Called after a loop pass that dispatched requests, so that they can be passed on in one batch.
    public var passEnded: (@Sendable () -> Void)?

    public init(
        name: StaticString, host: String, port: UInt16, limits: Limits,
        admit: @escaping @Sendable (RequestHead) -> Admission,
        handle: @escaping @Sendable (HTTPRequest, Exchange) -> Void,
        passEnded: (@Sendable () -> Void)? = nil
    ) {
        self.name = name
        self.host = host
        self.port = port
        self.limits = limits
        self.admit = admit
        self.handle = handle
        self.passEnded = passEnded
    }
}
