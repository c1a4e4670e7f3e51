internal import Configuration
internal import HTTPClient
internal import Lifecycle
internal import Reconciliation

/// The sweeps reported by a running sluice-reconciler.
struct ReconcilerPage {
    let configuration: Configuration

    /// - Throws: a `StartupError` if sluice-reconciler does not respond.
    func sweeps() async throws(StartupError) -> [Sweep] {
        let setting = OperationsSettings.reconcilerAdminURL
        let base = configuration[setting]
        let client = HTTPClient()
        defer { client.close() }
        let response: HTTPClientResponse
        do throws(HTTPClientError) {
            response = try await client.send(
                HTTPClientRequest(url: (base.hasSuffix("/") ? String(base.dropLast()) : base) + SweepListing.path))
        } catch {
            throw StartupError(
                "sluice-reconciler is unreachable: \(error.message)", setting: setting.key,
                fix: "Start sluice-reconciler, or set \(setting.key) to the URL of its admin listener")
        }
        guard response.status == 200, let sweeps = SweepListing.sweeps(json: response.body) else {
            throw StartupError(
                "the server at \(base) is not sluice-reconciler (status \(response.status))",
                setting: setting.key, fix: "Set \(setting.key) to the URL of the sluice-reconciler admin listener")
        }
        return sweeps
    }
}
