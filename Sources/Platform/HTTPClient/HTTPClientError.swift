/// Why there is no answer.
public struct HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
    public struct Code: Sendable, Equatable, Hashable, CustomStringConvertible {
        public let description: String
        /// The request's time was over. The server may have acted on it.
        public static let timedOut = Code(description: "timedOut")
        /// No connection, or it broke. The server may have acted on the request.
        public static let connectionFailed = Code(description: "connectionFailed")
        /// The server's certificate or its TLS was not accepted.
        public static let tls = Code(description: "tls")
        public static let bodyTooLarge = Code(description: "bodyTooLarge")
        /// Not an absolute `http` or `https` URL.
        public static let invalidURL = Code(description: "invalidURL")
        /// A method, a header or the roots cannot be used as given.
        public static let invalidRequest = Code(description: "invalidRequest")
        /// The task was cancelled.
        public static let cancelled = Code(description: "cancelled")
        /// As many requests as the client takes are under way.
        public static let overloaded = Code(description: "overloaded")
        /// The client was closed.
        public static let closed = Code(description: "closed")
        /// Anything else; `curlCode` says what.
        public static let other = Code(description: "other")
    }

    public let code: Code
    /// libcurl's own code; 0 when the error does not come from it.
    public let curlCode: Int32
    /// One sentence, without the URL's path, query or secrets.
    public let message: String

    public init(code: Code, curlCode: Int32 = 0, message: String) {
        self.code = code
        self.curlCode = curlCode
        self.message = message
    }

    /// Whether the same request may get an answer later.
    public var isRetriable: Bool { code == .timedOut || code == .connectionFailed || code == .overloaded }

    public var description: String { "\(code): \(message)" }
}
