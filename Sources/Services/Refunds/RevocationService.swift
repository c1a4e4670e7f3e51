internal import AppStoreVerification
internal import Lifecycle
internal import Primitives

/// Checks the revocation of the certificates that sign App Store Server API answers.
final class RevocationService: Service {
    let name = "revocation"
    private let verifier: NotificationVerifier
    private let clocks: Clocks

    init(_ verifier: NotificationVerifier, clocks: Clocks) {
        self.verifier = verifier
        self.clocks = clocks
    }

    func start() async throws {}

    func run() async throws {
        await verifier.runRevocationChecks(clock: clocks.wallMilliseconds)
        // The checks must run until the task is cancelled, because returning would end the process.
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }

    func stop(within limit: Duration) async {}
}
