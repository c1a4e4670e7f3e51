internal import AppStoreModel
internal import AppStoreSigning
internal import Configuration
internal import Foundation
internal import HTTPClient
internal import Lifecycle

/// `sluice-simulator post`: plays scenarios against a URL.
struct PostCommand {
    private let configuration: Configuration

    init(_ configuration: Configuration) {
        self.configuration = configuration
    }

    func run(_ console: Console) async throws -> Int32 {
        let pki = try PKICommand.load(configuration[SimulatorSettings.pki])
        let series = try series()
        let plan = plan(series)
        let factory = NotificationFactory(series: series, pki: pki)
        let report = try configuration[SimulatorSettings.report].map { try ReportFile(path: $0) }
        let connections = configuration[SimulatorSettings.connections]
        let client = HTTPClient(
            HTTPClient.Configuration(maximumInFlight: connections, maximumIdleConnections: connections))
        let delivery = Delivery(
            plan: plan,
            schedule: RetrySchedule(
                environment: series.app.environment, timeScale: configuration[SimulatorSettings.timeScale]),
            connections: connections,
            rate: configuration[SimulatorSettings.rate].map(Double.init), clock: ContinuousClock(),
            sign: { try factory.make($0) }, post: poster(client))
        let summary = try await delivery.run(
            // Posts in flight end with their timeout; a second signal ends the process at once.
            interrupts: SignalWatch.triggers(maximum: configuration[SimulatorSettings.timeout] + .seconds(5)) { _ in },
            onAttempt: { report?.append($0.reportLine) },
            onProgress: { console.complain($0.text) })
        client.close()
        try report?.close()
        switch configuration[SimulatorSettings.output] {
        case .text: console.print(summary.text(url: configuration[SimulatorSettings.url]))
        case .json: console.print(summary.json)
        }
        return summary.isComplete || configuration[SimulatorSettings.allowFailures] ? 0 : 1
    }

    private func series() throws -> ScenarioSeries {
        let names = configuration[SimulatorSettings.scenario]
        let scenarios =
            names == "all" ? Scenario.all : names.split(separator: ",").compactMap { Scenario.named(String($0)) }
        let app = configuration[SimulatorSettings.app]
        let end =
            configuration[SimulatorSettings.asOf]?.millisecondsSince1970
            ?? Int64(Date().timeIntervalSince1970 * 1000)
        guard
            let series = ScenarioSeries(
                scenarios: scenarios, accounts: configuration[SimulatorSettings.accounts],
                app: SimulatedApp(
                    bundleId: app.bundleId, appAppleId: app.appAppleId,
                    environment: configuration[SimulatorSettings.environment]),
                seed: UInt64(configuration[SimulatorSettings.seed]), endingAt: end)
        else {
            throw SimulatorError(description: "no scenario to play: --scenario is empty")
        }
        return series
    }

    private func plan(_ series: ScenarioSeries) -> PostingPlan {
        let count = configuration[SimulatorSettings.count]
        return PostingPlan(
            series: series, runs: count == nil ? series.accounts : nil, count: count,
            duplicates: configuration[SimulatorSettings.duplicates],
            disorder: configuration[SimulatorSettings.disorder],
            concurrentRuns: min(series.accounts ?? 64, 256))
    }

    private func poster(_ client: HTTPClient) -> @Sendable ([UInt8]) async -> PostOutcome {
        let url = configuration[SimulatorSettings.url]
        let timeout = configuration[SimulatorSettings.timeout]
        return { body in
            let request = HTTPClientRequest(
                method: "POST", url: url, headers: [(name: "Content-Type", value: "application/json")], body: body,
                timeout: timeout, connectTimeout: min(timeout, .seconds(5)), maximumBodyBytes: 65536)
            do throws(HTTPClientError) {
                return .status(try await client.send(request).status)
            } catch {
                return .failed(error.code.description)
            }
        }
    }
}
