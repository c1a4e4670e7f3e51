import HTTPClient
import Synchronization
import TestSupport

/// Sends the requests of several clients one at a time, in an order determined by a seed.
///
/// Each client waits with its request until it is chosen. Some writes time out and are executed later, and some clients
/// die before a request is sent.
package final class RequestSchedule: Sendable {
    package struct Chances: Sendable {
        /// The probability that the schedule switches to another client.
        package var turn = 0.15
        /// The probability that a write times out and is executed later or never.
        package var late = 0.03
        /// The probability that a client dies before its request is sent.
        package var death = 0.015

        package init() {}
    }

    private struct Waiting {
        let client: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var generator: SeededGenerator
        var waiting: [Waiting] = []
        /// The number of clients that are currently between two requests.
        var running: Int
        var chosen = 0
        var late: [HTTPClientRequest] = []
        /// The client processes that have died.
        var dead: Set<[Int]> = []
        var accepted: [[UInt8]] = []
        var lateCount = 0
    }

    private let bucket: SimulatedBucket
    private let chances: Chances
    private let state: Mutex<State>

    package init(_ bucket: SimulatedBucket, clients: Int, seed: UInt64, _ chances: Chances = Chances()) {
        self.bucket = bucket
        self.chances = chances
        state = Mutex(State(generator: SeededGenerator(seed: seed), running: clients))
    }

    /// The bodies of all checkpoints accepted by the bucket, in order.
    package var acceptedCheckpoints: [[UInt8]] { state.withLock { $0.accepted } }

    /// The number of requests that timed out and were executed later.
    package var lateCount: Int { state.withLock { $0.lateCount } }

    /// Returns a client's send function. Readers neither die nor have late requests.
    package func send(client: Int, incarnation: Int, isReader: Bool = false) -> FaultyTransport.Send {
        { [self] request throws(HTTPClientError) in
            await turn(client)
            let fate = fate([client, incarnation], request, isReader: isReader)
            switch fate {
            case .sent: return answer(request)
            case .late: throw HTTPClientError(code: .timedOut, message: "injected: carried out later")
            case .dead: throw HTTPClientError(code: .cancelled, message: "the process has ended")
            }
        }
    }

    /// Records that a client has no further requests.
    package func finish(client: Int) {
        let next = state.withLock { state in
            state.running -= 1
            return choose(&state)
        }
        next?.resume()
    }

    /// Executes the remaining late requests in random order.
    package func sendLateRequests() {
        while let request = state.withLock({ takeLate(&$0) }) { _ = answer(request) }
    }

    /// Returns a random number determined by the seed.
    package func random(_ range: Range<Int>) -> Int { state.withLock { Int.random(in: range, using: &$0.generator) } }

    private enum Fate {
        case sent, late, dead
    }

    private func turn(_ client: Int) async {
        await withCheckedContinuation { continuation in
            let next = state.withLock { state in
                state.waiting.append(Waiting(client: client, continuation: continuation))
                state.running -= 1
                return choose(&state)
            }
            next?.resume()
        }
    }

    private func choose(_ state: inout State) -> CheckedContinuation<Void, Never>? {
        guard state.running == 0, !state.waiting.isEmpty else { return nil }
        if Double.random(in: 0..<1, using: &state.generator) < 0.1, let request = takeLate(&state) {
            record(bucket.answer(request), to: request, &state)
        }
        // Sort the clients, which arrive in any order, so that the choice depends only on the seed.
        state.waiting.sort { $0.client < $1.client }
        let stays = Double.random(in: 0..<1, using: &state.generator) >= chances.turn
        var index = state.waiting.firstIndex { $0.client == state.chosen && stays }
        if index == nil { index = Int.random(in: state.waiting.indices, using: &state.generator) }
        let next = state.waiting.remove(at: index ?? 0)
        state.chosen = next.client
        state.running += 1
        return next.continuation
    }

    private func fate(_ incarnation: [Int], _ request: HTTPClientRequest, isReader: Bool) -> Fate {
        state.withLock { state in
            if isReader { return .sent }
            if state.dead.contains(incarnation) { return .dead }
            if Double.random(in: 0..<1, using: &state.generator) < chances.death {
                state.dead.insert(incarnation)
                if request.method != "GET", Bool.random(using: &state.generator) { state.late.append(request) }
                return .dead
            }
            guard request.method != "GET", Double.random(in: 0..<1, using: &state.generator) < chances.late else {
                return .sent
            }
            state.late.append(request)
            return .late
        }
    }

    private func takeLate(_ state: inout State) -> HTTPClientRequest? {
        guard !state.late.isEmpty else { return nil }
        state.lateCount += 1
        return state.late.remove(at: Int.random(in: state.late.indices, using: &state.generator))
    }

    private func answer(_ request: HTTPClientRequest) -> HTTPClientResponse {
        state.withLock { state in
            let response = bucket.answer(request)
            record(response, to: request, &state)
            return response
        }
    }

    private func record(_ response: HTTPClientResponse, to request: HTTPClientRequest, _ state: inout State) {
        guard request.method == "PUT", response.status == 200, request.url.hasSuffix("/checkpoint"),
            let body = request.body
        else { return }
        state.accepted.append(body)
    }
}
