internal import AppStoreModel
internal import AppStoreServerAPI
internal import AppStoreSettings
internal import AppStoreVerification
internal import CommandLine
internal import Configuration
internal import HTTPClient
internal import JSON
internal import Lifecycle
internal import Primitives

/// `sluicectl api`: queries Apple's App Store Server API and prints only verified objects.
struct APICommand {
    let configuration: Configuration
    let clocks: Clocks

    /// The interval between requests for Apple's delivery report.
    private static let pause = Duration.seconds(5)

    func transaction(_ id: String, _ console: Console) async throws -> ExitCode {
        try await asking(console) { client, scope throws(APIError) in
            let transaction = try await client.getTransactionInfo(TransactionId(id), scope)
            return APIAnswerReport.transaction(transaction)
        }
    }

    func subscriptions(_ id: String, _ console: Console) async throws -> ExitCode {
        try await asking(console) { client, scope throws(APIError) in
            let statuses = try await client.getAllSubscriptionStatuses(AnyTransactionId(rawValue: id), scope)
            return APIAnswerReport.subscriptions(statuses)
        }
    }

    func history(_ id: String, _ console: Console) async throws -> ExitCode {
        let revision = configuration[OperationsSettings.apiRevision]
        return try await asking(console) { client, scope throws(APIError) in
            let pages = client.getTransactionHistory(of: AnyTransactionId(rawValue: id), revision: revision, scope)
            return APIAnswerReport.transactions(try await read(pages), isRefunds: false)
        }
    }

    func refunds(_ id: String, _ console: Console) async throws -> ExitCode {
        let revision = configuration[OperationsSettings.apiRevision]
        return try await asking(console) { client, scope throws(APIError) in
            let pages = client.getRefundHistory(of: AnyTransactionId(rawValue: id), revision: revision, scope)
            return APIAnswerReport.transactions(try await read(pages), isRefunds: true)
        }
    }

    func order(_ id: String, _ console: Console) async throws -> ExitCode {
        try await asking(console) { client, scope throws(APIError) in
            APIAnswerReport.order(try await client.lookUpOrderId(OrderId(id), scope))
        }
    }

    func testNotification(_ console: Console) async throws -> ExitCode {
        let wait = configuration[OperationsSettings.testWait]
        return try await asking(console) { client, scope throws(APIError) in
            let token = try await client.requestTestNotification(scope)
            guard wait > .zero else { return APIAnswerReport.testNotification(token, nil, isExpected: false) }
            console.complain("requested \(PlainText.printable(token.rawValue)); Apple's report takes about a minute")
            let status = try await report(on: token, client, scope, within: wait)
            return APIAnswerReport.testNotification(token, status, isExpected: true)
        }
    }

    // MARK: private details

    /// Reads all pages up to the limit and merges them into one.
    private func read(_ given: Pages<TransactionPage>) async throws(APIError) -> TransactionPage {
        var pages = given
        let limit = configuration[OperationsSettings.apiLimit]
        var transactions: [VerifiedTransaction] = []
        var refused: [RefusedObject] = []
        var hasMore = false
        while let page = try await pages.next() {
            transactions += page.transactions
            refused += page.refused
            hasMore = page.hasMore
            if transactions.count + refused.count >= limit { break }
        }
        return TransactionPage(
            transactions: transactions, refused: refused, revision: pages.cursor, hasMore: hasMore)
    }

    /// Returns Apple's delivery report, or nil if Apple provides none within `wait`.
    private func report(
        on token: TestNotificationToken, _ client: AppStoreServerClient, _ scope: APIScope, within wait: Duration
    ) async throws(APIError) -> TestNotificationStatus? {
        let end = ContinuousClock.now + wait
        while true {
            do throws(APIError) {
                return try await client.getTestNotificationStatus(token, scope)
            } catch {
                // Continue only if Apple has not attempted delivery yet or is busy.
                guard error.code == .testNotificationNotFound || error.isRetriable else { throw error }
            }
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero, (try? await Task.sleep(for: min(left, Self.pause))) != nil else { return nil }
        }
    }

    private func asking(
        _ console: Console,
        _ ask: (AppStoreServerClient, APIScope) async throws(APIError) -> APIAnswerReport
    ) async throws -> ExitCode {
        let source = try APISource(configuration)
        for warning in source.warnings { console.complain("sluicectl: warning: \(warning)") }
        let http = HTTPClient(try HTTPClient.Configuration(configuration))
        defer { http.close() }
        let report: APIAnswerReport
        do throws(APIError) {
            report = try await ask(try source.client(http: http, clocks: clocks), source.scope)
        } catch {
            throw StartupError(error)
        }
        await console.write(configuration, text: report.text, json: report.json)
        for refused in report.refused { console.complain("sluicectl: rejected an object in the response: \(refused)") }
        return report.isGood ? .ok : .failure
    }
}

extension StartupError {
    /// Creates the error for a failed App Store Server API request, with its fix.
    init(_ failure: APIError) {
        var problem = PlainText.printable(failure.message)
        if let code = failure.code { problem += " (\(code))" }
        self.init(problem, fix: failure.fix ?? (failure.isRetriable ? "Try again later" : "Correct the request"))
    }
}

extension APICommand {
    init(_ context: CommandContext) {
        self.init(configuration: context.configuration, clocks: context.clocks)
    }
}
