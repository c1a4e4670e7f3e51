internal import AppStoreModel
internal import AppStoreServerAPI
internal import Configuration
internal import HTTPClient
internal import Kafka
internal import Lifecycle
internal import Reconciliation
internal import Records
internal import Time

/// `sluicectl reconcile statuses`: compares the published subscriptions of an app with Get All Subscription Statuses. What
/// an app with version 1 has missed is found in no history, because Apple records version 2 only.
struct StatusesCommand {
    let configuration: Configuration
    let clocks: Clocks
    let timeout: Duration

    /// After so many failures in a row Apple is not asked any more.
    private static let failuresInARow = 5

    func run(_ console: Console) async throws -> ExitCode {
        let source = try APISource(configuration)
        for warning in source.warnings { console.complain("sluicectl: warning: \(warning)") }
        let published = try await self.published(of: source.scope)
        let http = HTTPClient(try HTTPClient.Configuration(configuration))
        defer { http.close() }
        let client: AppStoreServerClient
        do throws(APIFailure) {
            client = try source.client(http: http, clocks: clocks)
        } catch {
            throw StartupError(error)
        }
        // Behind the services that ask Apple for themselves.
        let scope = APIScope(source.scope.bundleId, in: source.scope.environment, priority: .background)
        let report = try await compare(published, StatusComparison(client, scope, clocks: clocks), console)
        switch configuration[OperationsSettings.output] {
        case .text: await console.write(report.text)
        case .json: await console.write(line: report.json)
        }
        return report.isGood ? .ok : .failure
    }

    /// The last state of each subscription in the topic, in the order of the purchases.
    private func published(of scope: APIScope) async throws -> [PublishedSubscription] {
        let topic = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]).entitlements(scope.environment)
        let isEverything = configuration[OperationsSettings.statusesOfAll]
        let brokers = try Brokers(configuration, timeout: timeout)
        var rows: [[UInt8]: PublishedSubscription] = [:]
        try await brokers.admin().closing { admin in
            let kafka = try brokers.readerConfiguration(isEmbedded: try await brokers.isEmbedded(admin))
            try await TopicScan(topic, of: admin, with: kafka).run { record in
                guard let key = record.key else { return true }
                rows[key] = PublishedSubscription(record, of: scope.bundleId)
                return true
            }
        }
        return rows.values.filter { isEverything || $0.isLegacy }
            .sorted { $0.originalTransactionId.rawValue < $1.originalTransactionId.rawValue }
    }

    private func compare(
        _ published: [PublishedSubscription], _ comparison: StatusComparison, _ console: Console
    ) async throws -> StatusesReport {
        var report = StatusesReport()
        var failures = 0
        for (index, subscription) in published.enumerated() {
            if index > 0, index % 100 == 0 { console.complain("\(index) of \(published.count) compared") }
            do throws(APIFailure) {
                let difference = try await comparison.answer(about: subscription).difference(of: subscription)
                failures = 0
                report.compared += 1
                if let difference { report.differences.append(difference) }
            } catch {
                failures += 1
                report.failed += 1
                // One that Apple does not answer about says nothing of the others; a wrong key does.
                guard error.isRetriable, failures < Self.failuresInARow else { throw StartupError(error) }
                console.complain(
                    "\(subscription.originalTransactionId.rawValue): \(PlainText.printable(error.message))")
            }
        }
        return report
    }
}
