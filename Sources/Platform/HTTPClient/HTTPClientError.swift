/// Why there is no answer.
package struct HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
    package struct Code: Sendable, Equatable, Hashable, CustomStringConvertible {
        package let description: String
        /// The request's time was over. The server may have acted on it.
        package static let timedOut = Code(description: "timedOut")
        /// No connection, or it broke. The server may have acted on the request.
        package static let connectionFailed = Code(description: "connectionFailed")
        /// The server's certificate or its TLS was not accepted.
        package static let tls = Code(description: "tls")
        package static let bodyTooLarge = Code(description: "bodyTooLarge")
        /// Not an absolute `http` or `https` URL.
        package static let invalidURL = Code(description: "invalidURL")
        /// A method, a header or the roots cannot be used as given.
        package static let invalidRequest = Code(description: "invalidRequest")
        /// The task was cancelled.
        package static let cancelled = Code(description: "cancelled")
        /// As many requests as the client takes are under way.
        package static let overloaded = Code(description: "overloaded")
        /// The client was closed.
        package static let closed = Code(description: "closed")
        /// Anything else; `curlCode` says what.
        package static let other = Code(description: "other")
    }

    package let code: Code
    /// libcurl's own code; 0 when the error does not come from it.
    package let curlCode: Int32
    /// One sentence, without the URL's path, query or secrets.
    package let message: String

    package init(code: Code, curlCode: Int32 = 0, message: String) {
        self.code = code
        self.curlCode = curlCode
        self.message = message
    }

    /// Whether the same request may get an answer later.
    package var isRetriable: Bool { code == .timedOut || code == .connectionFailed || code == .overloaded }

    package var description: String { "\(code): \(message)" }
}
