internal import AppStoreModel
internal import AppStoreSigning
internal import Configuration
internal import HTTPClient
internal import HTTPServer

extension SimulatedServerAPI {
    /// Maximum number of notifications that the API posts concurrently.
    static let posts = 16

    /// Creates the API described by the command line, without starting it.
    ///
    /// - Parameters:
    ///   - ports: the environments to serve, with their ports.
    ///   - url: the URL to which notifications are posted, or `nil` to post none.
    /// - Throws: an error if the key for checking tokens cannot be read or created.
    static func configured(
        _ configuration: Configuration, pki: TestCertificateAuthority, app: SimulatedApp,
        ports: [(environment: AppStoreEnvironment, port: Int)], url: String?, client: HTTPClient
    ) throws -> SimulatedServerAPI {
        let directory = configuration[SimulatorSettings.pki]
        var settings = Settings(app: app, credentials: try SimulatedAPIKey.credentials(in: directory))
        settings.environments = ports.map(\.environment)
        for (environment, port) in ports { settings.ports[environment] = UInt16(clamping: port) }
        settings.limits = configuration[ServerAPISettings.limit]
        settings.faults = configuration[ServerAPISettings.faults]
        settings.faults.seed = UInt64(configuration[SimulatorSettings.seed])
        let endpoints = configuration[ServerAPISettings.faultEndpoints]
        settings.faults.operations = endpoints.isEmpty ? nil : Set(endpoints)
        settings.followUp.isAtApplesSite = configuration[ServerAPISettings.isAtApplesSite]
        settings.faults.latency = configuration[ServerAPISettings.latency]
        settings.acceptsUnknownTransactions = configuration[ServerAPISettings.acceptUnknown]
        settings.followUp.decisionDelay = configuration[ServerAPISettings.decisionDelay]
        settings.followUp.timeScale = configuration[SimulatorSettings.timeScale]
        if let url {
            let timeout = configuration[SimulatorSettings.timeout]
            let queue = PostQueue(limit: Self.posts) { body, ended in
                client.send(.posting(body, to: url, timeout: timeout)) { result in
                    switch result {
                    case .success(let response): ended(.status(response.status))
                    case .failure(let error): ended(.failed(error.code.description))
                    }
                }
            }
            settings.post = { queue.post($0, $1) }
        }
        return SimulatedServerAPI(settings: settings, pki: pki)
    }
}

extension HTTPClientRequest {
    /// Returns a request that posts a notification.
    static func posting(_ body: [UInt8], to url: String, timeout: Duration) -> HTTPClientRequest {
        HTTPClientRequest(
            method: "POST", url: url, headers: [(name: "Content-Type", value: "application/json")], body: body,
            timeout: timeout, connectTimeout: min(timeout, .seconds(5)), maximumBodyBytes: 65536)
    }
}
