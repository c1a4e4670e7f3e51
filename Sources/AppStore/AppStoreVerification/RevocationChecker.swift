internal import Cryptography
internal import Synchronization

/// Sends OCSP requests; the ingress does it over its HTTP client, tests answer from memory.
public protocol OCSPRequester: Sendable {
    /// POSTs `request` as `application/ocsp-request` to `address` and returns the body of a 200 answer.
    ///
    /// Redirects are not followed, no proxy of the environment is used, and a body above 64 KiB is an error. The
    /// address comes from a certificate under which a signature was verified.
    /// - Throws: anything when there is no such answer within `timeout`; it counts as "no new knowledge".
    func answer(to request: [UInt8], address: String, timeout: Duration) async throws -> [UInt8]
}

/// Asks about revocation in the background and knows what was answered. Verification never waits for it.
final class RevocationChecker: Sendable {
    let policy: RevocationPolicy
    private let requester: (any OCSPRequester)?
    private let state = Mutex(RevocationState())
    private let accepted = Atomic<Int>(0)

    /// How long a responder may take.
    static let timeout = Duration.seconds(10)

    init(policy: RevocationPolicy, requester: (any OCSPRequester)?) {
        self.policy = policy
        self.requester = requester
    }

    /// Whether a certificate of the path is known to be revoked. Asks nothing and remembers nothing.
    func isRevoked(_ path: ValidatedPath, at now: Int64) -> Bool {
        guard policy != .off else { return false }
        return state.withLock { state in
            state.isRevoked(path.leaf, issuer: path.intermediate, at: now)
                || state.isRevoked(path.intermediate, issuer: path.root, at: now)
        }
    }

    /// The standings of the leaf and the intermediate, which are asked about from now on.
    ///
    /// To be called only for a path that is valid now, under which a notification for us was signed: the addresses to
    /// ask come from its certificates, and a missing answer calls for an operator. What Apple signed years ago, or for
    /// others, anyone can post.
    func standings(of path: ValidatedPath, at now: Int64) -> [RevocationStanding] {
        guard policy != .off else { return [] }
        return state.withLock { state in
            [
                state.standing(of: path.leaf, issuer: path.intermediate, at: now),
                state.standing(of: path.intermediate, issuer: path.root, at: now),
            ]
        }
    }

    /// Counts a notification accepted without an answer.
    func countAcceptedUnknown() {
        accepted.add(1, ordering: .relaxed)
    }

    /// Asks every question when it is due until the task is cancelled; returns at once with policy `off`. No question
    /// waits for the answer to another: a slow responder delays what is known of its own certificate alone.
    /// - Parameters:
    ///   - clock: milliseconds since 1970; read again when an answer arrives.
    ///   - pause: how late a question may be, not how often one is asked: that is the state's decision.
    func run(clock: @escaping @Sendable () -> Int64, pause: Duration) async {
        guard policy != .off else { return }
        await withDiscardingTaskGroup { group in
            while !Task.isCancelled {
                // At most one for each certificate that is remembered, and their number is bounded.
                for question in state.withLock({ $0.takeDueQuestions(at: clock()) }) {
                    group.addTask { await self.ask(question, clock: clock) }
                }
                try? await Task.sleep(for: pause)
            }
        }
    }

    /// Asks every question that is due, all at once, and waits for the answers.
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
