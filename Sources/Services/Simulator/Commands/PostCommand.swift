internal import AppStoreModel
internal import AppStoreSigning
internal import CommandLine
internal import Configuration
internal import HTTPClient
internal import Lifecycle
internal import Primitives

/// `sluice-simulator post`: posts scenario notifications to a URL, and optionally serves the App Store Server API at
/// the same time.
struct PostCommand {
    private let configuration: Configuration

    init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    func run(_ console: Console) async throws -> ExitCode {
        let pki = try PKICommand.load(configuration[SimulatorSettings.pki])
        let apiPort = configuration[ServerAPISettings.port]
        // If this command serves the API and posts version 2 notifications, a scenario ends at its refund request, and
        // the API posts the outcome. The API posts no other version.
        let formats = configuration[SimulatorSettings.formats]
        let series = try ScenarioSeries(
            configuration, endsAtRefundRequests: apiPort != nil && formats.contains(.v2))
        let sharedSecret = try SharedSecretFile.read(configuration)
        let report = try configuration[SimulatorSettings.report].map { try ReportFile(path: $0) }
        let connections = configuration[SimulatorSettings.connections]
        let client = HTTPClient(
            HTTPClient.Configuration(
                maximumInFlight: connections + SimulatedServerAPI.posts, maximumIdleConnections: connections))
        let api = try apiPort.map { port in
            try SimulatedServerAPI.configured(
                configuration, pki: pki, app: series.app, ports: [(series.app.environment, port)],
                url: configuration[SimulatorSettings.url], client: client)
        }
        if let api, let directory = configuration[ServerAPISettings.historyFiles] {
            try HistoryFiles(directory: directory).list(in: api)
        }
        try api?.start()
        if let api { console.note("the App Store Server API answers at \(api.url(of: series.app.environment))") }

        // After the first signal, the process has enough time for every post in flight to finish or time out. A second
        // signal ends the process immediately.
        let interrupts = Interrupts(maximum: configuration[SimulatorSettings.timeout] + .seconds(5))
        let factory = NotificationFactory(series: series, pki: pki, sharedSecret: sharedSecret)
        let summary = try await delivery(factory, client, api).run(
            interrupts: interrupts.stream,
            onAttempt: { attempt in
                report?.append(attempt.reportLine)
                api?.noteAttempt(attempt, in: series.app.environment)
            },
            onUndelivered: { notification in
                report?.append(notification.undeliveredReportLine)
                api?.recordLoss(of: notification.notificationUUID, in: series.app.environment)
            }, onProgress: { console.note($0.text) })
        if let api {
            api.whenSettled { interrupts.end() }
            await interrupts.wait()
            await api.stop()
        }
        client.close()
        try report?.close()
        return await conclude(summary, api.map { RefundSummary($0) }, console)
    }

    private func conclude(_ summary: DeliverySummary, _ refunds: RefundSummary?, _ console: Console) async -> ExitCode {
        switch configuration[SimulatorSettings.output] {
        case .text: await console.print(summary.text(url: configuration[SimulatorSettings.url], refunds: refunds))
        case .json: await console.print(summary.json(refunds: refunds))
        }
        let isComplete = summary.isComplete && refunds?.isComplete ?? true
        return isComplete || configuration[SimulatorSettings.allowFailures] ? .ok : .failure
    }

    private func delivery(
        _ factory: NotificationFactory, _ client: HTTPClient, _ api: SimulatedServerAPI?
    ) -> Delivery<ContinuousClock> {
        let series = factory.series
        let timeScale = configuration[SimulatorSettings.timeScale]
        return Delivery(
            plan: PostingPlan(
                series, configuration, duplicates: configuration[SimulatorSettings.duplicates],
                disorder: configuration[SimulatorSettings.disorder]),
            schedules: Dictionary(
                uniqueKeysWithValues: NotificationFormat.allCases.map { format in
                    (format, RetrySchedule(environment: series.app.environment, format: format, timeScale: timeScale))
                }),
            connections: configuration[SimulatorSettings.connections],
            rate: configuration[SimulatorSettings.rate].map(Double.init), clock: ContinuousClock(),
            sign: { post in
                // The API must have a transaction before its notification is posted.
                if let api, let notification = series.notification(of: post.run, step: post.step) {
                    api.register(notification, in: series.app.environment, isListed: post.format == .v2)
                }
                return try factory.make(post)
            }, post: poster(client))
    }

    private func poster(_ client: HTTPClient) -> @Sendable ([UInt8]) async -> PostOutcome {
        let url = configuration[SimulatorSettings.url]
        let timeout = configuration[SimulatorSettings.timeout]
        return { body in
            do throws(HTTPClientError) {
                return .status(try await client.send(.posting(body, to: url, timeout: timeout)).status)
            } catch {
                return .failed(error.code.description)
            }
        }
    }
}

extension SimulatedServerAPI {
    /// Records the outcome of an attempt; the first attempt to post a CONSUMPTION_REQUEST opens a case.
    fileprivate func noteAttempt(_ attempt: Attempt, in environment: AppStoreEnvironment) {
        guard attempt.post.format == .v2 else { return }
        record(attempt.outcome, of: attempt.notificationUUID, in: environment)
        guard attempt.notificationType == .consumptionRequest, attempt.number == 1, !attempt.post.isDuplicate else {
            return
        }
        openRefundCase(of: attempt.notificationUUID, in: environment)
    }
}
