/// The error for a request that received no complete response from the server.
public struct HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
    public struct Code: Sendable, Equatable, Hashable, CustomStringConvertible {
        public let description: String
        /// The request timed out. The server may have processed it.
        public static let timedOut = Code(description: "timedOut")
        /// The connection failed or broke. The server may have processed the request.
        public static let connectionFailed = Code(description: "connectionFailed")
        /// The TLS handshake failed, for example because the server's certificate was rejected or the trust roots
        /// cannot be read.
        public static let tls = Code(description: "tls")
        public static let bodyTooLarge = Code(description: "bodyTooLarge")
        /// The URL is not an absolute `http` or `https` URL.
        public static let invalidURL = Code(description: "invalidURL")
        /// The method or a header is invalid.
        public static let invalidRequest = Code(description: "invalidRequest")
        /// The task or the transfer was cancelled.
        public static let cancelled = Code(description: "cancelled")
        /// The maximum number of requests is already in progress.
        public static let overloaded = Code(description: "overloaded")
        /// The client was closed.
        public static let closed = Code(description: "closed")
        /// Any other error, identified by `curlCode`.
        public static let other = Code(description: "other")
    }

    public let code: Code
    /// libcurl's code, or 0 if the error is not from libcurl.
    public let curlCode: Int32
    /// One sentence that contains no secrets and neither the URL's path nor its query.
    public let message: String

    public init(code: Code, curlCode: Int32 = 0, message: String) {
        self.code = code
        self.curlCode = curlCode
        self.message = message
    }

    /// Whether an identical request may succeed later.
    public var isRetriable: Bool { code == .timedOut || code == .connectionFailed || code == .overloaded }

    public var description: String { "\(code): \(message)" }
}
