import AppStoreModel
import AppStoreSigning
import Foundation
import HTTPClient
import Simulator
import Synchronization
import Testing

/// Signed notifications of many customers, posted one after the other at a steady rate until it is stopped, each once.
final class Load: Sendable {
    /// What became of one post.
    struct Outcome: Sendable {
        enum Answer: Hashable, Sendable {
            case status(Int)
            /// There was no connection: nothing was sent.
            case refused
            /// It was sent, or may have been, and no answer came.
            case unanswered(String)
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
    }

    private let state = Mutex(State())
    private let corpus: NotificationCorpus
    private let perSecond: Int
    private let url: String

    /// - Parameters:
    ///   - pki: the directory that the simulator made.
    ///   - seed: another one makes other notifications.
    init(_ ingress: Ingress, pki: String, perSecond: Int, count: Int, seed: UInt64 = 1) throws {
        let app = SimulatedApp(
            bundleId: BundleId("com.example.app"), appAppleId: AppAppleId(1_234_567_890), environment: .production)
        corpus = try NotificationCorpus(
            count: count, seed: seed, pki: ThrowawayPKI.load(from: pki), app: app,
            scenarios: Scenario.all.filter { $0.name == "subscription-renewing" },
            endingAt: Int64(Date().timeIntervalSince1970 * 1000))
        self.perSecond = perSecond
        url = ingress.url
    }

    /// What has ended so far.
    var outcomes: [Outcome] { state.withLock { $0.outcomes } }

    /// How many posts have begun and not ended.
    var underWay: Int { state.withLock { $0.begun - $0.outcomes.count } }

    /// No new posts; those under way are finished.
    func stop() { state.withLock { $0.isStopped = true } }

    /// Posts until it is stopped or nothing is left, runs `body` meanwhile, and returns all outcomes.
    func run(while body: () async throws -> Void) async throws -> [Outcome] {
        // A connection of its own for each post: a client that repeats a post by itself, as it may on a connection
        // that was used before, would hide one that was not answered.
        let client = HTTPClient(HTTPClient.Configuration(maximumInFlight: 1024, maximumIdleConnections: 1))
        defer { client.close() }
        async let posted: Void = post(with: client)
        do { try await body() } catch {
            stop()
            _ = try? await posted
            throw error
        }
        stop()
        try await posted
        return outcomes
    }

    private func post(with client: HTTPClient) async throws {
        let start = ContinuousClock.now
        await withDiscardingTaskGroup { group in
            for (number, notification) in corpus.notifications.enumerated() {
                let due = start + .seconds(1) * number / perSecond
                try? await Task.sleep(until: due)
                if state.withLock({ $0.isStopped }) || Task.isCancelled { return }
                group.addTask { await self.post(notification, with: client) }
            }
        }
    }

    private func post(_ notification: SignedNotification, with client: HTTPClient) async {
        let request = HTTPClientRequest(
            method: "POST", url: url,
            headers: [(name: "Content-Type", value: "application/json"), (name: "Connection", value: "close")],
            body: notification.body, timeout: .seconds(20))
        state.withLock { $0.begun += 1 }
        let begun = ContinuousClock.now
        // The client's thread takes the time: tasks of other tests may keep this one waiting.
        let (answer, ended) = await withCheckedContinuation { continuation in
            client.send(request) { result in
                continuation.resume(returning: (Outcome.Answer(result), ContinuousClock.now))
            }
        }
        let outcome = Outcome(
            notificationUUID: notification.notificationUUID.rawValue, begun: begun, ended: ended, answer: answer)
        state.withLock { $0.outcomes.append(outcome) }
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
