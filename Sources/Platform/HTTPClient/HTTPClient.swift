internal import CCurl

/// An HTTP client based on libcurl. A single thread performs all transfers and sleeps when there are none.
///
/// Connections are reused. The client uses HTTP/1.1 over TCP or over TLS 1.2 or later, and verifies the server. It does
/// not follow redirects, read the environment's proxy variables, store cookies, decompress responses, or retry.
public final class HTTPClient: Sendable {
    public struct Configuration: Sendable {
        /// A PEM file with the roots to trust instead of the system's roots.
        public var trustRootsFile: String?
        /// The proxy for requests; nil means a direct connection.
        public var proxy: HTTPProxy?
        /// The maximum number of requests in progress. Further requests fail with `overloaded`.
        public var maximumInFlight: Int
        /// The maximum number of idle connections kept open for later requests.
        public var maximumIdleConnections: Int

        public init(
            trustRootsFile: String? = nil, proxy: HTTPProxy? = nil, maximumInFlight: Int = 256,
            maximumIdleConnections: Int = 32
        ) {
            self.trustRootsFile = trustRootsFile
            self.proxy = proxy
            self.maximumInFlight = maximumInFlight
            self.maximumIdleConnections = maximumIdleConnections
        }
    }

    /// Identifies a request in progress.
    public struct TransferID: Sendable, Hashable {
        let number: UInt64
    }

    private let queue: TransferQueue

    public init(_ configuration: Configuration = Configuration()) {
        queue = TransferQueue(configuration)
        TransferLoop.start(queue)
    }

    deinit { queue.close() }

    /// Sends the request and returns the whole response. Cancelling the task ends the transfer.
    ///
    /// - Throws: ``HTTPClientError``, whose `isRetriable` indicates whether a retry may succeed.
    public func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        let id = queue.reserve()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                queue.start(id, request) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            queue.cancel(id)
        }
        return try result.get()
    }

    /// Sends the request. `completion` is called exactly once: on the client's thread, or on the caller's thread if the
    /// request cannot be started. It must not block.
    @discardableResult
    public func send(
        _ request: HTTPClientRequest,
        completion: @escaping @Sendable (Result<HTTPClientResponse, HTTPClientError>) -> Void
    ) -> TransferID {
        let id = queue.reserve()
        queue.start(id, request, completion)
        return id
    }

    /// Ends a transfer with `cancelled`. Has no effect on a finished transfer.
    public func cancel(_ transfer: TransferID) { queue.cancel(transfer) }

    /// Ends all transfers with `closed` and stops the thread.
    public func close() { queue.close() }
}
