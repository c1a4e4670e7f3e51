import Foundation
import Synchronization
import TestSupport

/// Posts bodies over persistent connections on its own threads, at a given rate or as fast as possible.
final class Flood: Sendable {
    private struct State {
        var statuses: [Int: Int] = [:]
        var started = 0
        var isStopped = false
        var running = 0
    }

    private let state: Mutex<State>
    private let port: UInt16
    private let requests: [[UInt8]]
    private let total: Int
    /// Interval between two requests of one connection.
    private let interval: Duration

    /// Starts immediately.
    ///
    /// - Parameters:
    ///   - bodies: posted in turn.
    ///   - perSecond: if `nil`, a connection posts its next request as soon as the previous one is answered.
    ///   - total: total number of requests.
    init(port: UInt16, bodies: [[UInt8]], connections: Int, perSecond: Int? = nil, total: Int = .max) {
        self.port = port
        requests = bodies.map { body in
            let head = "POST /notifications HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n"
            return Array(head.utf8) + body
        }
        self.total = total
        interval = perSecond.map { .seconds(1) * connections / $0 } ?? .zero
        state = Mutex(State(running: connections))
        for number in 0..<connections { Thread { self.run(number) }.start() }
    }

    /// Number of responses by status; 0 counts requests without a response.
    var statuses: [Int: Int] { state.withLock { $0.statuses } }

    /// Waits until the total is reached.
    func finish(within limit: Duration) async -> Bool {
        await eventually(within: limit) { state.withLock { $0.running == 0 } }
    }

    /// Waits for the outstanding responses.
    func stop() async {
        state.withLock { $0.isStopped = true }
        _ = await finish(within: .seconds(20))
    }

    private func run(_ number: Int) {
        let start = ContinuousClock.now
        var connection: TestConnection?
        var sent = 0
        while let request = next() {
            // Blocking is fine on the flood's own thread.
            let wait = start + interval * sent - .now
            if wait > .zero { usleep(UInt32(wait / .microseconds(1))) }
            sent += 1
            let answer = post(request, over: &connection)
            state.withLock { $0.statuses[answer, default: 0] += 1 }
            // Nothing listens, so retry slowly.
            if answer == 0 { usleep(10_000) }
        }
        state.withLock { $0.running -= 1 }
    }

    private func next() -> [UInt8]? {
        state.withLock { state in
            guard !state.isStopped, state.started < total else { return nil }
            state.started += 1
            return requests[state.started % requests.count]
        }
    }

    /// Retries once on a new connection, because the server may have closed the reused one.
    private func post(_ request: [UInt8], over connection: inout TestConnection?) -> Int {
        for isKept in [connection != nil, false] {
            if connection == nil { connection = try? TestConnection(port: port) }
            guard let open = connection else { return 0 }
            let answer = open.send(request) ? try? open.response() : nil
            if answer?.head.lowercased().contains("connection: close") ?? true { connection = nil }
            if let answer { return answer.status }
            if !isKept { return 0 }
        }
        return 0
    }
}
