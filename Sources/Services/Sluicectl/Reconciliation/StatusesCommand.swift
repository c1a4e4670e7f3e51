internal import AppStoreModel
internal import AppStoreServerAPI
internal import CommandLine
internal import Configuration
internal import HTTPClient
internal import Kafka
internal import Lifecycle
internal import Primitives
internal import Reconciliation
internal import Records

/// `sluicectl reconcile statuses`: compares an app's published subscriptions with Get All Subscription Statuses. If an
/// app receives version 1, a sweep of the history cannot find missed notifications, because Apple records only version
/// 2.
struct StatusesCommand {
    let configuration: Configuration
    let clocks: Clocks
    let timeout: Duration

    func run(_ console: Console) async throws -> ExitCode {
        let source = try APISource(configuration)
        for warning in source.warnings { console.complain("sluicectl: warning: \(warning)") }
        let published = try await self.published(of: source.scope)
        let http = HTTPClient(try HTTPClient.Configuration(configuration))
        defer { http.close() }
        let client: AppStoreServerClient
        do throws(APIError) {
            client = try source.client(http: http, clocks: clocks)
        } catch {
            throw StartupError(error)
        }
        // These requests have a lower priority than the services' own.
        let scope = APIScope(source.scope.bundleId, in: source.scope.environment, priority: .background)
        let inquiry = StatusInquiry(
            StatusComparison(client, scope, clocks: clocks),
            Repetition(clocks: clocks, sleep: { try await Task.sleep(for: $0) }))
        let report = try await compare(published, inquiry, console)
        await console.write(configuration, text: report.text, json: report.json)
        if let failure = report.failure { throw StartupError(failure) }
        return report.isGood ? .ok : .failure
    }

    /// Returns the latest state of each subscription in the topic, ordered by purchase.
    private func published(of scope: APIScope) async throws -> [PublishedSubscription] {
        let topic = TopicNames(prefix: configuration[OperationsSettings.topicsPrefix]).entitlements(scope.environment)
        let isEverything = configuration[OperationsSettings.statusesOfAll]
        var rows: [[UInt8]: PublishedSubscription] = [:]
        try await Brokers.connected(configuration, timeout) { admin, kafka in
            try await TopicScan(topic, of: admin, with: kafka).run { record in
                guard let key = record.key else { return true }
                rows[key] = PublishedSubscription(record, of: scope.bundleId)
                return true
            }
        }
        return rows.values.filter { isEverything || $0.isCompared }
            .sorted { $0.originalTransactionId.rawValue < $1.originalTransactionId.rawValue }
    }

    /// Compares until a failure prevents further queries to Apple. The differences found by then are reported with the
    /// failure.
    private func compare(
        _ published: [PublishedSubscription], _ inquiry: StatusInquiry, _ console: Console
    ) async throws -> StatusesReport {
        var report = StatusesReport()
        var unanswered = 0
        for (index, subscription) in published.enumerated() {
            if index > 0, index % 100 == 0 { console.complain("\(index) of \(published.count) compared") }
            let outcome: StatusInquiry.Outcome
            do {
                outcome = try await inquiry.ask(about: subscription)
            } catch let failure as APIError {
                report.failure = failure
                return report
            }
            let problem: String?
            (problem, unanswered) = report.add(outcome, about: subscription, unanswered: unanswered)
            if let problem {
                console.complain("\(subscription.originalTransactionId.rawValue): \(PlainText.printable(problem))")
            }
            if report.failure != nil { return report }
        }
        return report
    }
}
