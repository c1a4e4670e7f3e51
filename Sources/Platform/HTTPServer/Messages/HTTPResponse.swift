/// The response to a request.
public struct HTTPResponse: Sendable {
    /// A status between 200 and 599.
    public var status: Int
    /// Why, as a code for metrics and the log, e.g. `accepted` or `signature`. Never sent to the client.
    public var reason: String
    /// The `Content-Type`, sent only with a body.
    public var contentType: StaticString
    /// Further header fields. A field whose name is no token or whose value holds a control byte is left out.
    public var headers: [(name: String, value: String)]
    /// The body. It is not copied while a slow reader takes it.
    public var body: [UInt8]
    /// Whether the connection ends with this response.
    public var closes: Bool

    public init(
        status: Int, reason: String, contentType: StaticString = "application/json",
        headers: [(name: String, value: String)] = [], body: [UInt8] = [], closes: Bool = false
    ) {
        self.status = status
        self.reason = reason
        self.contentType = contentType
        self.headers = headers
        self.body = body
        self.closes = closes
    }

    /// A response whose body is `text` as `text/plain`.
    public static func text(_ text: String, status: Int = 200, reason: String = "ok") -> HTTPResponse {
        HTTPResponse(status: status, reason: reason, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
    }
}
