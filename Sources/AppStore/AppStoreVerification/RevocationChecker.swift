internal import Cryptography
internal import Synchronization

/// Sends OCSP requests. The ingress uses its HTTP client; tests answer from memory.
public protocol OCSPRequester: Sendable {
    /// Sends `request` to `address` by POST as `application/ocsp-request` and returns the body of a 200 response.
    ///
    /// Implementations follow no redirects, use no proxy from the environment, and fail if the body is larger than 64
    /// KiB. The address comes from a certificate in the chain of a verified object.
    /// - Throws: any error if no such response arrives within `timeout`. In that case, the status remains unchanged.
    func answer(to request: [UInt8], address: String, timeout: Duration) async throws -> [UInt8]
}

/// Checks revocation in the background and stores the results. Verification never waits for it.
final class RevocationChecker: Sendable {
    let policy: RevocationPolicy
    private let requester: (any OCSPRequester)?
    private let state = Mutex(RevocationState())
    private let accepted = Atomic<Int>(0)

    /// The timeout for one OCSP request.
    static let timeout = Duration.seconds(10)

    init(policy: RevocationPolicy, requester: (any OCSPRequester)?) {
        self.policy = policy
        self.requester = requester
    }

    /// Returns whether a certificate in the path is known to be revoked. Sends no request and records nothing.
    func isRevoked(_ path: ValidatedPath, at now: Int64) -> Bool { !revokedCertificates(of: path, at: now).isEmpty }

    /// Returns those of the leaf and the intermediate that are known to be revoked. Sends no request.
    func revokedCertificates(of path: ValidatedPath, at now: Int64) -> [Certificate] {
        guard policy != .off else { return [] }
        return state.withLock { state in
            var revoked: [Certificate] = []
            if state.isRevoked(path.leaf, issuer: path.intermediate, at: now) { revoked.append(path.leaf) }
            if state.isRevoked(path.intermediate, issuer: path.root, at: now) { revoked.append(path.intermediate) }
            return revoked
        }
    }

    /// Returns the revocation status of the leaf and the intermediate. From then on, the status is requested regularly.
    ///
    /// Call this only for a currently valid path with which Apple signed a notification for one of our apps. Requests
    /// go to addresses in the certificates, and a missing response alerts operators. Without this restriction, anyone
    /// could cause both by posting old notifications or notifications for other apps.
    func standings(of path: ValidatedPath, at now: Int64) -> [RevocationStanding] {
        guard policy != .off else { return [] }
        return state.withLock { state in
            [
                state.standing(of: path.leaf, issuer: path.intermediate, at: now),
                state.standing(of: path.intermediate, issuer: path.root, at: now),
            ]
        }
    }

    /// Counts a notification accepted with an unknown revocation status.
    func countAcceptedUnknown() {
        accepted.add(1, ordering: .relaxed)
    }

    /// Sends each request when it is due, until the task is cancelled. Returns immediately if the policy is `off`.
    /// Requests run concurrently, so a slow responder delays only the status of its own certificates.
    /// - Parameters:
    ///   - clock: returns the current time, in milliseconds since 1970; read again when a response arrives.
    ///   - pause: the maximum delay before a due request is sent. ``RevocationState`` decides when a request is due.
    func run(clock: @escaping @Sendable () -> Int64, pause: Duration) async {
        guard policy != .off else { return }
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                // The number of tasks is limited: the cache holds a limited number of certificates, each with at most
                // one request in flight.
                for question in state.withLock({ $0.takeDueQuestions(at: clock()) }) {
                    group.addTask { await self.ask(question, clock: clock) }
                }
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// Sends all due requests concurrently and waits for the responses.
    func askDueQuestions(clock: @escaping @Sendable () -> Int64) async {
        guard policy != .off else { return }
        let due = state.withLock { $0.takeDueQuestions(at: clock()) }
        await withDiscardingTaskGroup { group in
            for question in due { group.addTask { await self.ask(question, clock: clock) } }
        }
    }

    private func ask(_ question: RevocationState.Question, clock: @Sendable () -> Int64) async {
        let outcome = await outcome(of: question, clock: clock)
        state.withLock { state in
            var random = SystemRandomNumberGenerator()
            state.record(outcome, of: question.id, at: clock(), using: &random)
        }
    }

    func status(at now: Int64) -> RevocationStatus {
        var status = state.withLock { $0.status(at: now) }
        status.acceptedUnknown = accepted.load(ordering: .relaxed)
        return status
    }

    private func outcome(
        of question: RevocationState.Question, clock: @Sendable () -> Int64
    ) async -> RevocationState.Outcome {
        guard let address = question.address else { return .noAddress }
        guard let requester, let request = try? OCSPRequest(subject: question.subject, issuer: question.issuer) else {
            return .unreachable
        }
        guard let response = try? await requester.answer(to: request.der, address: address, timeout: Self.timeout)
        else { return .unreachable }
        return .answer(request.evaluate(response: response, at: clock() / 1000))
    }
}
