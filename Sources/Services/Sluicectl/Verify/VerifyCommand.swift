internal import AppStoreModel
internal import AppStoreVerification
internal import CommandLine
internal import Configuration
internal import JSON
internal import Lifecycle
internal import Primitives
internal import Telemetry

/// `sluicectl verify`: verifies a file offline.
struct VerifyCommand {
    let configuration: Configuration
    let source: SluicectlParts.Verification
    let clocks: Clocks

    /// The maximum size of a file, far above the ingress's own limit.
    private static let maximumBytes = 4 << 20

    func run(_ path: String, _ console: Console) async throws -> ExitCode {
        let text = try await InputFile.read(path, maximumBytes: Self.maximumBytes)
        let report = try report(on: text)
        await console.write(configuration, text: report.text, json: report.json)
        return report.isAccepted ? .ok : .failure
    }

    func report(on text: [UInt8]) throws -> VerificationReport {
        let now = AppStoreInstant(clampingMillisecondsSince1970: clocks.wallMilliseconds())
        let at = configuration[OperationsSettings.verifyAt] ?? now
        let apps = try source.apps(configuration)
        let verifier: NotificationVerifier
        do {
            verifier = try NotificationVerifier(
                VerifierConfiguration(
                    roots: try source.roots(configuration),
                    apps: apps.isEmpty ? [ClaimedApp.identity(in: text)] : apps, revocation: .off))
        } catch let error as VerifierSetupError {
            throw StartupError(
                error.message, setting: error.code == .root ? "root.certificates" : "apps", fix: "Correct the setting",
                exitCode: .configuration)
        }
        return VerificationReport(
            verifier.explain(text, at: at.millisecondsSince1970), at: at, checksAudience: !apps.isEmpty,
            showsPayload: configuration[OperationsSettings.payload])
    }
}
