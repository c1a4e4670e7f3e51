import AppStoreModel
import AppStoreSigning
import Foundation
import HTTPClient
import Simulator
import Synchronization
import TestSupport
import Testing

/// Signed notifications of many customers, each posted once, at a steady rate until stopped. Unacknowledged
/// notifications can be posted again later, as Apple does.
final class Load: Sendable {
    /// The outcome of one post.
    struct Outcome: Sendable {
        enum Answer: Hashable, Sendable {
            case status(Int)
            /// The connection failed, and nothing was sent.
            case refused
            /// The request was sent, or may have been, and got no response.
            case unanswered(String)

            var isUnanswered: Bool { if case .unanswered = self { true } else { false } }
        }

        let notificationUUID: String
        let begun: ContinuousClock.Instant
        let ended: ContinuousClock.Instant
        let answer: Answer

        var isAcknowledged: Bool { answer == .status(200) }
        var duration: Duration { ended - begun }
    }

    private struct State {
        var outcomes: [Outcome] = []
        var begun = 0
        var isStopped = false
        /// Notifications that Apple would post again.
        var unacknowledged: [String: SignedNotification] = [:]
    }

    private let state = Mutex(State())
    private let supply: NotificationSupply
    private let perSecond: Int
    private let url: String
    private let trustRoots: String?

    /// - Parameters:
    ///   - pki: the directory created by the simulator.
    ///   - seed: a different seed creates different notifications.
    ///   - trustRoots: a file of trusted certificates, for https.
    init(to url: String, pki: String, perSecond: Int, seed: UInt64 = 1, trustRoots: String? = nil) throws {
        self.trustRoots = trustRoots
        supply = try NotificationSupply(pki: pki, seed: seed)
        self.perSecond = perSecond
        self.url = url
    }

    /// The finished posts so far.
    var outcomes: [Outcome] { state.withLock { $0.outcomes } }

    /// Returns the number of finished posts that satisfy a condition.
    func count(where condition: (Outcome) -> Bool) -> Int { state.withLock { $0.outcomes.count(where: condition) } }

    /// Number of posts in flight.
    var underWay: Int { state.withLock { $0.begun - $0.outcomes.count } }

    /// Stops new posts. Posts in flight are finished.
    func stop() { state.withLock { $0.isStopped = true } }

    /// Runs `body` while posting, then stops and returns all outcomes.
    func run(while body: () async throws -> Void) async throws -> [Outcome] {
        try await withClient { client in
            async let posted: Void = post(with: client)
            do { try await body() } catch {
                stop()
                _ = try? await posted
                throw error
            }
            stop()
            try await posted
        }
        return outcomes
    }

    /// Posts unacknowledged notifications again until all are acknowledged or the time limit is reached.
    ///
    /// - Returns: the number of notifications that remain unacknowledged.
    func repeatUnacknowledged(within limit: Duration) async throws -> Int {
        try await withClient { client in
            let end = ContinuousClock.now + limit
            while ContinuousClock.now < end {
                let left = state.withLock { Array($0.unacknowledged.values) }
                if left.isEmpty { return }
                await withDiscardingTaskGroup { group in
                    for notification in left.prefix(32) {
                        group.addTask { await self.post(notification, with: client) }
                    }
                }
            }
        }
        return state.withLock { $0.unacknowledged.count }
    }

    private func withClient(_ body: (HTTPClient) async throws -> Void) async throws {
        // Each post uses a separate connection: on a reused one, a client may retry on its own and thus hide a missing
        // response.
        let client = HTTPClient(
            HTTPClient.Configuration(
                trustRootsFile: trustRoots, maximumInFlight: 8192, maximumIdleConnections: 1))
        defer { client.close() }
        try await body(client)
    }

    private func post(with client: HTTPClient) async throws {
        var notifications = try await supply.next()
        let start = ContinuousClock.now
        try await withThrowingDiscardingTaskGroup { group in
            var number = 0
            while true {
                for notification in notifications {
                    await pass(.seconds(1) * number / perSecond, since: start)
                    if state.withLock({ $0.isStopped }) || Task.isCancelled { return }
                    group.addTask { await self.post(notification, with: client) }
                    number += 1
                }
                notifications = try await supply.next()
            }
        }
    }

    private func post(_ notification: SignedNotification, with client: HTTPClient) async {
        let request = HTTPClientRequest(
            method: "POST", url: url,
            headers: [(name: "Content-Type", value: "application/json"), (name: "Connection", value: "close")],
            body: notification.body, timeout: .seconds(20))
        let uuid = notification.notificationUUID.rawValue
        state.withLock { state in
            state.begun += 1
            state.unacknowledged[uuid] = notification
        }
        let begun = ContinuousClock.now
        // The time is taken on the client's thread, because tasks of other tests may delay this one.
        let (answer, ended) = await withCheckedContinuation { continuation in
            client.send(request) { result in
                continuation.resume(returning: (Outcome.Answer(result), ContinuousClock.now))
            }
        }
        let outcome = Outcome(notificationUUID: uuid, begun: begun, ended: ended, answer: answer)
        state.withLock { state in
            state.outcomes.append(outcome)
            if outcome.isAcknowledged { state.unacknowledged[uuid] = nil }
        }
    }
}

extension Load.Outcome.Answer {
    fileprivate init(_ result: Result<HTTPClientResponse, HTTPClientError>) {
        switch result {
        case .success(let response): self = .status(response.status)
        // CURLE_COULDNT_CONNECT
        case .failure(let error): self = error.curlCode == 7 ? .refused : .unanswered("\(error)")
        }
    }
}

extension Load {
    /// Waits for this number of outcomes of a kind.
    func wait(
        for count: Int, _ told: any CustomStringConvertible, within limit: Duration = .seconds(30),
        _ condition: (Outcome) -> Bool
    ) async throws {
        let areThere = await eventually(within: limit) { self.count(where: condition) >= count }
        let answers = Dictionary(grouping: outcomes, by: \.answer).mapValues(\.count)
        try #require(areThere, "\(answers); \(told)")
    }

    /// Waits until a post that started after this time is acknowledged.
    ///
    /// - Returns: the time until the first acknowledgement.
    func waitForAcknowledgement(
        begunAfter moment: ContinuousClock.Instant, _ told: any CustomStringConvertible, within limit: Duration
    ) async throws -> Duration {
        try await wait(for: 1, told, within: limit) { $0.isAcknowledged && $0.begun > moment }
        let ends = outcomes.filter { $0.isAcknowledged && $0.ended > moment }.map(\.ended)
        return try #require(ends.min()) - moment
    }
}

/// Waits until a duration has passed since the given time.
func pass(_ time: Duration, since moment: ContinuousClock.Instant = .now) async {
    _ = await eventually(within: time + .seconds(1)) { ContinuousClock.now - moment >= time }
}
