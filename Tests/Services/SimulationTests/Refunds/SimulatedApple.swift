import AppStoreModel
import AppStoreServerAPI
import RefundRules

@testable import Refunds

/// Apple's endpoint for consumption answers: it can be slow, refuse by rate, fail, and accept a body without the
/// response reaching the member.
final class SimulatedApple: @unchecked Sendable {
    // @unchecked Sendable because only the simulation's thread uses it.
    enum Mood: CaseIterable { case good, slow, failing, limiting, losing }

    /// A body that arrived.
    struct Put {
        let at: Int64
        let transactionId: String
        let body: String
        let isAccepted: Bool
    }

    var mood = Mood.good
    private(set) var puts: [Put] = []
    private unowned let simulation: Simulation
    private let received: (Put) -> Void

    /// - Parameter received: called for each body that arrives.
    init(_ simulation: Simulation, received: @escaping (Put) -> Void) {
        self.simulation = simulation
        self.received = received
    }

    func send(_ body: [UInt8], for refund: RefundCase) async throws(APIError) {
        let gate = Gate<APIError?>(
            whenCancelled: APIError(kind: .cancelled, message: "cancelled", isRetriable: true))
        let text = String(decoding: body, as: UTF8.self)
        // The request is on its way, whatever happens to the member.
        let way = simulation.number(in: 20...(mood == .slow ? 25_000 : 400))
        simulation.timers.after(way) { [self] in
            let failure = receive(text, refund.transactionId.rawValue)
            guard mood != .losing || failure != nil else {
                return simulation.timers.after(30_000) {
                    gate.open(APIError(kind: .noAnswer, message: "no answer in time", isRetriable: true))
                }
            }
            simulation.timers.after(way) { gate.open(failure) }
        }
        if let failure = await gate.wait() { throw failure }
    }

    private func receive(_ body: String, _ transactionId: String) -> APIError? {
        let failure: APIError? =
            switch mood {
            case .good, .slow, .losing: nil
            case .failing: APIError(kind: .server, status: 500, message: "500", isRetriable: true)
            case .limiting:
                APIError(
                    kind: .rateLimited, status: 429, message: "429", isRetriable: true,
                    retryAt: simulation.timers.now + 60_000)
            }
        let put = Put(
            at: simulation.timers.now, transactionId: transactionId, body: body, isAccepted: failure == nil)
        puts.append(put)
        simulation.trace("apple: \(transactionId) \(body) \(failure == nil ? "accepted" : "\(mood)")")
        received(put)
        return failure
    }
}

/// Apple's API as one process reaches it: a dead process sends nothing.
struct SimulatedConnection: RefundAPI {
    unowned let process: SimulatedProcess
    let apple: SimulatedApple

    func send(_ body: [UInt8], form: Int32, for refund: RefundCase, isLast: Bool) async throws(APIError) {
        guard !process.isDead else { throw APIError(kind: .cancelled, message: "dead", isRetriable: true) }
        let place = process.simulation.names.state(of: RefundsModel.key(refund.bundleId, refund.transactionId))
        if process.service?.state.owned.contains(place) != true {
            process.simulation.checks.fail("\(process.name) answers \(refund.transactionId) but does not own \(place)")
        }
        try await apple.send(body, for: refund)
    }

    func transaction(of refund: RefundCase) async throws(APIError) -> TransactionPayload {
        throw APIError(kind: .noKey, message: "all transactions are signed", isRetriable: false)
    }
}
