internal import CCurl
internal import Synchronization

/// The queue of commands from callers to the client's thread.
final class TransferQueue: Sendable {
    typealias Completion = @Sendable (Result<HTTPClientResponse, HTTPClientError>) -> Void

    enum Command: Sendable {
        case start(HTTPClient.TransferID, HTTPClientRequest, deadline: ContinuousClock.Instant, Completion)
        case cancel(HTTPClient.TransferID)
    }

    private struct State {
        var commands: [Command] = []
        var lastNumber: UInt64 = 0
        /// Reserved ids of transfers that have not started. The value is true if the transfer has been cancelled.
        var reserved: [HTTPClient.TransferID: Bool] = [:]
        var inFlight = 0
        var isClosed = false
    }

    let configuration: HTTPClient.Configuration
    let handle: MultiHandle?
    private let state = Mutex(State())

    init(_ configuration: HTTPClient.Configuration) {
        self.configuration = configuration
        handle = MultiHandle()
    }

    func reserve() -> HTTPClient.TransferID {
        state.withLock { state in
            state.lastNumber &+= 1
            let id = HTTPClient.TransferID(number: state.lastNumber)
            state.reserved[id] = false
            return id
        }
    }

    func start(_ id: HTTPClient.TransferID, _ request: HTTPClientRequest, _ completion: @escaping Completion) {
        let deadline = ContinuousClock.now + request.timeout
        let refusal: HTTPClientError? = state.withLock { state in
            let wasCancelled = state.reserved.removeValue(forKey: id) ?? false
            if wasCancelled { return .cancelled }
            if state.isClosed || handle == nil { return .closed }
            guard state.inFlight < configuration.maximumInFlight else {
                return HTTPClientError(
                    code: .overloaded, message: "\(configuration.maximumInFlight) requests are already in flight")
            }
            state.inFlight += 1
            state.commands.append(.start(id, request, deadline: deadline, completion))
            handle?.wake()
            return nil
        }
        if let refusal { completion(.failure(refusal)) }
    }

    /// Cancels a transfer. If the transfer has not started yet, its id is marked as cancelled, and starting the
    /// transfer fails.
    func cancel(_ id: HTTPClient.TransferID) {
        state.withLock { state in
            if state.reserved[id] != nil {
                state.reserved[id] = true
            } else if !state.isClosed {
                state.commands.append(.cancel(id))
                handle?.wake()
            }
        }
    }

    func close() {
        state.withLock { state in
            state.isClosed = true
            handle?.wake()
        }
    }

    // MARK: Calls from the client's thread

    func take() -> (commands: [Command], isClosed: Bool) {
        state.withLock { state in
            defer { state.commands = [] }
            return (state.commands, state.isClosed)
        }
    }

    func ended(transfers: Int) {
        state.withLock { $0.inFlight -= transfers }
    }
}

/// libcurl's multi handle. The queue owns it, and the client's thread retains the queue, so the handle is freed after
/// the thread has ended.
final class MultiHandle: @unchecked Sendable {
    // @unchecked Sendable because the pointer does not change, only the client's thread makes calls other than the
    // wake-up, and libcurl allows the wake-up from any thread.
    let pointer: UnsafeMutableRawPointer

    init?() {
        guard Self.isInitialized, let pointer = curl_multi_init() else { return nil }
        self.pointer = pointer
    }

    deinit { curl_multi_cleanup(pointer) }

    func wake() { curl_multi_wakeup(pointer) }

    /// libcurl requires this call once per process, before any other.
    private static let isInitialized = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK
}
