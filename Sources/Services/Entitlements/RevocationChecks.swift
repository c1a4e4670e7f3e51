internal import AppStoreVerification
internal import HTTPClient
internal import Lifecycle
internal import PipelineRuntime
internal import Primitives

/// Checks certificate revocation in the background, for uploaded transactions and Apple's answers. The process has one
/// verifier, and so one loop.
final class RevocationChecks: Service {
    let name = "revocation checks"
    private let verifier: NotificationVerifier
    private let responders: HTTPClient
    private let clocks: Clocks

    /// - Parameter responders: the verifier's HTTP client for OCSP requests, which is closed when the service stops.
    init(_ verifier: NotificationVerifier, responders: HTTPClient, clocks: Clocks) {
        self.verifier = verifier
        self.responders = responders
        self.clocks = clocks
    }

    func start() async throws {}

    func run() async throws {
        await verifier.runRevocationChecks(clock: clocks.wallMilliseconds)
        // The loop above returns immediately if revocation checks are disabled.
        try await DueLoop.rest()
    }

    func stop(within limit: Duration) async { responders.close() }
}
