internal import AppStoreModel
internal import CommandLine
internal import Configuration
internal import HTTPClient
internal import JSON
internal import Lifecycle

/// `sluice-simulator serve`: serves the App Store Server API until interrupted.
struct ServeCommand {
    private let configuration: Configuration

    init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    func run(_ console: Console) async throws -> ExitCode {
        let pki = try PKICommand.load(configuration[SimulatorSettings.pki])
        let series = try ScenarioSeries(configuration)
        let client = HTTPClient()
        let api = try SimulatedServerAPI.configured(
            configuration, pki: pki, app: series.app,
            ports: [
                (.production, configuration[ServerAPISettings.port] ?? 0),
                (.sandbox, configuration[ServerAPISettings.sandboxPort]),
            ], url: configuration[SimulatorSettings.optionalURL], client: client)
        register(series, in: api)
        if let directory = configuration[ServerAPISettings.historyFiles] {
            try HistoryFiles(directory: directory).list(in: api)
        }
        let interrupts = Interrupts(maximum: .seconds(5))
        try api.start()
        await console.print(ready(api))
        await interrupts.wait()
        await api.stop()
        client.close()
        return .ok
    }

    /// Registers the notifications that `post` would have posted, as if all except the undelivered share had been
    /// delivered on the first attempt.
    private func register(_ series: ScenarioSeries, in api: SimulatedServerAPI) {
        for post in PostingPlan(series, configuration) {
            guard let notification = series.notification(of: post.run, step: post.step) else { continue }
            api.register(notification, in: series.app.environment, isListed: post.format == .v2)
            guard post.format == .v2 else { continue }
            if post.isUndelivered {
                api.recordLoss(of: notification.notificationUUID, in: series.app.environment)
            } else {
                api.record(.status(200), of: notification.notificationUUID, in: series.app.environment)
            }
        }
    }

    /// Returns the line that scripts wait for before they use the API.
    private func ready(_ api: SimulatedServerAPI) -> String {
        var line = JSONObject()
        line.put("message", "ready")
        line.put("port", Int64(api.port(of: .production)))
        line.put("sandboxPort", Int64(api.port(of: .sandbox)))
        line.put("issuerId", SimulatedAPIKey.issuerId)
        line.put("keyId", SimulatedAPIKey.keyId)
        line.put("keyFile", configuration[SimulatorSettings.pki] + "/" + SimulatedAPIKey.fileName)
        return line.text
    }
}
