/// A request to an HTTP server.
public struct HTTPClientRequest: Sendable {
    /// An upper-case token, such as `GET`.
    public var method: String
    /// An absolute `http` or `https` URL.
    public var url: String
    /// Header fields, sent unchanged. If a name is not a token or a value contains a control byte, the request fails
    /// with `invalidRequest`.
    public var headers: [(name: String, value: String)]
    public var body: [UInt8]?
    /// The maximum time from `send` to the last byte of the response.
    public var timeout: Duration
    /// The maximum time for name resolution, TCP and TLS.
    public var connectTimeout: Duration
    /// The maximum size of the response body in bytes. If the body is larger, the request fails with `bodyTooLarge`.
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
