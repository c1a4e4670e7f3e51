/// An address to listen on, with handlers for its requests.
///
/// `admit`, `handle` and `passEnded` run on the loop thread. They must not block or throw, and may only take locks that
/// are released quickly.
public struct Listener: Sendable {
    /// The name in metrics and the log, such as `notifications` or `admin`.
    public var name: StaticString
    /// A numeric IPv4 or IPv6 address, or `localhost` (127.0.0.1).
    public var host: String
    /// The port to bind. If 0, the system chooses one (`HTTPServer.port(of:)`).
    public var port: UInt16
    public var limits: Limits
    /// Decides on a request based on its head, before any byte of the body is read.
    public var admit: @Sendable (RequestHead) -> Admission
    /// Handles a complete request. The handler responds through the exchange once, at any time and on any thread.
    public var handle: @Sendable (HTTPRequest, Exchange) -> Void
    /// Called after a loop pass that dispatched requests, so that a handler can process them as a batch.
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
