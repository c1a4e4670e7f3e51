package import HTTPClient
import Synchronization
import TestSupport

/// A faulty network and service. Requests fail before or after execution, or their responses are damaged.
package final class FaultyTransport: Sendable {
    package typealias Send = @Sendable (HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse

    private struct State {
        var generator: SeededGenerator
        var faults = 0
    }

    private let share: Double
    private let state: Mutex<State>
    private let next: Send

    /// - Parameter share: the fraction of requests that fail, from 0 to 1.
    package init(_ share: Double, seed: UInt64, _ next: @escaping Send) {
        self.share = share
        self.next = next
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
    }

    package var faults: Int { state.withLock { $0.faults } }

    private enum Fault: CaseIterable {
        case refused, resetBefore, resetAfter, timedOutAfter, internalError, internalErrorAfter, slowDown, badGateway
        case damaged, conflict
    }

    package func send(_ request: HTTPClientRequest) async throws(HTTPClientError) -> HTTPClientResponse {
        let fault: Fault? = state.withLock { state in
            guard Double.random(in: 0..<1, using: &state.generator) < share else { return nil }
            state.faults += 1
            return Fault.allCases.randomElement(using: &state.generator)
        }
        switch fault {
        case nil: return try await next(request)
        case .refused, .resetBefore: throw HTTPClientError(code: .connectionFailed, message: "injected: reset before")
        case .resetAfter:
            _ = try await next(request)
            throw HTTPClientError(code: .connectionFailed, message: "injected: reset after")
        case .timedOutAfter:
            _ = try await next(request)
            throw HTTPClientError(code: .timedOut, message: "injected: timed out")
        case .internalError: return SimulatedBucket.error(500, "InternalError")
        case .internalErrorAfter:
            _ = try await next(request)
            return SimulatedBucket.error(500, "InternalError")
        case .slowDown: return SimulatedBucket.error(503, "SlowDown")
        case .badGateway:
            return HTTPClientResponse(status: 502, headers: [], body: Array("<html>Bad <br> gateway".utf8))
        case .conflict:
            guard request.method == "PUT" || request.method == "POST" else { return try await next(request) }
            return SimulatedBucket.error(409, "ConditionalRequestConflict")
        case .damaged:
            let response = try await next(request)
            // Damage only whole objects, because only they have a checksum.
            guard request.method == "GET", response.status == 200, response.header("x-amz-meta-sha256") != nil,
                !response.body.isEmpty
            else { return response }
            var body = response.body
            body[body.count / 2] ^= 4
            return HTTPClientResponse(status: 200, headers: response.headers, body: body)
        }
    }
}
