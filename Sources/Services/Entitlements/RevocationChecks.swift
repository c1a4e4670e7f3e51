internal import AppStoreVerification
internal import HTTPClient
internal import Lifecycle
internal import PipelineRuntime
internal import Time

/// Asks in the background about the revocation of the certificates under which the uploads of apps and Apple's answers
/// were signed: one loop for the verifier of the process.
final class RevocationChecks: Service {
    let name = "revocation checks"
    private let verifier: NotificationVerifier
    private let responders: HTTPClient
    private let clocks: Clocks

    /// - Parameter responders: the client over which the verifier asks; closed at the end.
    init(_ verifier: NotificationVerifier, responders: HTTPClient, clocks: Clocks) {
        self.verifier = verifier
        self.responders = responders
        self.clocks = clocks
    }

    func start() async throws {}

    func run() async throws {
        await verifier.runRevocationChecks(clock: clocks.wallMilliseconds)
        // With revocation switched off there is nothing to ask.
        try await DueLoop.rest()
    }

    func stop(within limit: Duration) async { responders.close() }
}
