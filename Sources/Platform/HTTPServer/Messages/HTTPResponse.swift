/// The response to a request.
public struct HTTPResponse: Sendable {
    /// A status between 200 and 599.
    public var status: Int
    /// The outcome code for metrics and the log, such as `accepted` or `signature`. It is never sent to the client.
    public var reason: String
    /// The `Content-Type`; sent only with a body.
    public var contentType: StaticString
    /// Additional header fields. A field is omitted if its name is not a token or its value contains a control byte.
    public var headers: [(name: String, value: String)]
    /// The body. Sending it to a slow client does not copy it.
    public var body: [UInt8]
    /// Whether to close the connection after this response.
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

    /// Creates a `text/plain` response with `text` as its body.
    public static func text(_ text: String, status: Int = 200, reason: String = "ok") -> HTTPResponse {
        HTTPResponse(status: status, reason: reason, contentType: "text/plain; charset=utf-8", body: Array(text.utf8))
    }
}
