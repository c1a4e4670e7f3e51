/// A request to an HTTP server.
public struct HTTPClientRequest: Sendable {
    /// A token in capitals, e.g. `GET`.
    public var method: String
    /// An absolute `http` or `https` URL.
    public var url: String
    /// Sent as given. A name that is no token or a value with a control byte: `invalidRequest`.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]?
    /// From `send` to the last byte of the answer, waiting included.
    public var timeout: Duration
    /// For name, TCP and TLS.
    public var connectTimeout: Duration
    /// Beyond: `bodyTooLarge`.
    public var maximumBodyBytes: Int

    public init(
        method: String = "GET", url: String, headers: [(name: String, value: String)] = [], body: [UInt8]? = nil,
        timeout: Duration = .seconds(10), connectTimeout: Duration = .seconds(5),
        maximumBodyBytes: Int = 16 * 1024 * 1024
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.connectTimeout = connectTimeout
        self.maximumBodyBytes = maximumBodyBytes
    }
}
