/// One address that the server listens on, and what happens to its requests.
///
/// `admit`, `handle` and `passEnded` run on the loop thread: they neither wait nor throw, and take only locks that
/// are held for moments.
public struct Listener: Sendable {
    /// For metrics and the log, e.g. `notifications` or `admin`.
    public var name: StaticString
    /// A numeric IPv4 or IPv6 address, or `localhost` (127.0.0.1).
    public var host: String
    /// 0: one that the system chooses (`HTTPServer.port(of:)`).
    public var port: UInt16
    public var limits: Limits
    /// Decides by the head, before any byte of the body.
    public var admit: @Sendable (RequestHead) -> Admission
    /// Takes the whole request. The exchange is answered once, at any time, on any thread.
    public var handle: @Sendable (HTTPRequest, Exchange) -> Void
    /// Called after a pass of the loop in which requests were dispatched, so that they can be passed on together.
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
