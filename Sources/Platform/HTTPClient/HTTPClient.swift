internal import CCurl

/// An HTTP client over libcurl: one thread of its own for all transfers, which sleeps while there are none.
///
/// Connections are kept and used again. It speaks HTTP/1.1 over TCP or TLS 1.2 and later with the server verified; it
/// follows no redirects, takes no proxy from the environment, keeps no cookies, decompresses nothing and does not retry.
public final class HTTPClient: Sendable {
    public struct Configuration: Sendable {
        /// A PEM file with the roots to trust instead of the system's.
        public var trustRootsFile: String?
        /// Nil: servers are asked directly.
        public var proxy: HTTPProxy?
        /// Requests under way at once. Beyond: `overloaded`.
        public var maximumInFlight: Int
        /// Connections kept open for later requests.
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

    /// Names a request that is under way.
    public struct TransferID: Sendable, Hashable {
        let number: UInt64
    }

    private let queue: TransferQueue

    public init(_ configuration: Configuration = Configuration()) {
        queue = TransferQueue(configuration)
        TransferLoop.start(queue)
    }

    deinit { queue.close() }

    /// Sends the request and waits for the whole answer. Cancelling the task ends the transfer.
    /// - Throws: every code but `other` has a documented meaning; `isRetriable` says whether to try again.
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

    /// Sends the request; `completion` is called exactly once, on the client's thread or, when the request is not even
    /// started, on the caller's. It must not wait.
    @discardableResult
    public func send(
        _ request: HTTPClientRequest,
        completion: @escaping @Sendable (Result<HTTPClientResponse, HTTPClientError>) -> Void
    ) -> TransferID {
        let id = queue.reserve()
        queue.start(id, request, completion)
        return id
    }

    /// Ends a transfer with `cancelled`; nothing happens when it has ended.
    public func cancel(_ transfer: TransferID) { queue.cancel(transfer) }

    /// Ends all transfers with `closed`, and the thread.
    public func close() { queue.close() }
}
