// Requests to Apple's App Store Server API: their rate, a valid token that is sent only to Apple, and the validation of
// responses.

private let module = "AppStore/AppStoreServerAPI/"
private let waits = MutatedFile(
    .api, "rate limits", module + "Failures/RetryAfter.swift", suites: "RetryAfterTests|AnswerTests")
private let budget = MutatedFile(
    .api, "rate limits", module + "Budgets/RequestBudget.swift", suites: "RequestBudgetTests")
private let budgets = MutatedFile(
    .api, "rate limits", module + "Budgets/RequestBudgets.swift", suites: "RequestBudgetTests|AnswerTests")
private let groups = MutatedFile(
    .api, "rate limits", module + "Budgets/EndpointGroup.swift", suites: "RequestBudgetTests")
private let tokens = MutatedFile(
    .api, "token", module + "Tokens/BearerTokens.swift", suites: "BearerTokenTests|RequestTests")
private let token = MutatedFile(
    .api, "token", module + "Tokens/BearerToken.swift", suites: "BearerTokenTests|SecrecyTests")
private let keyFile = MutatedFile(.api, "token", module + "Tokens/SigningKeyFile.swift", suites: "BearerTokenTests")
private let client = MutatedFile(
    .api, "request", module + "Client/AppStoreServerClient.swift", suites: "RequestTests|AnswerTests|SharedCasesTests")
private let request = MutatedFile(.api, "request", module + "Requests/APIRequest.swift", suites: "RequestTests")
private let answers = MutatedFile(
    .api, "answer", module + "Failures/APIError+Answers.swift", suites: "AnswerTests|RequestTests|SecrecyTests")
private let text = MutatedFile(.api, "answer", module + "Failures/PrintableText.swift", suites: "AnswerTests")
private let reader = MutatedFile(.api, "answer", module + "Answers/AnswerReader.swift", suites: "AnswerTests")
private let refused = MutatedFile(
    .api, "signed objects", module + "Results/RefusedObject.swift", suites: "VerifiedAnswerTests")
private let verified = MutatedFile(
    .api, "signed objects", module + "Client/AppStoreServerClient+Answers.swift", suites: "VerifiedAnswerTests")
private let pages = MutatedFile(.api, "pages", module + "Results/Pages.swift", suites: "VerifiedAnswerTests")

enum APIMutants {
    static let all: [Mutant] = [
        waits.mutant("api-retry-milliseconds", "number", after: "case 100_000_000_000...: moment = ", "now"),
        waits.mutant("api-retry-seconds", "number * 1000", after: "case 100_000_000...: moment = ", "number"),
        waits.mutant("api-retry-past", "max(moment, now)", "moment"),
        waits.mutant("api-retry-hour", "now.saturatingAdd(longest)", "Int64.max"),

        budget.without("api-budget-spacing", "nextFree = free + interval", after: "case .urgent:"),
        budget.without("api-budget-background-takes", "nextFree = free + interval", after: "case .background:"),
        budget.without("api-budget-share", "nextBackground = free + backgroundInterval"),
        budget.mutant("api-budget-background-waits", "free == now", "free - now <= longestWait"),
        budget.mutant("api-budget-too-far", "free - now <= longestWait", after: "case .urgent:", "true"),
        budget.mutant("api-budget-closed", "max(nextFree, closedUntil, now)", "max(nextFree, now)"),
        budget.mutant("api-budget-closed-meanwhile", "moment >= closedUntil", "true"),
        budget.without("api-budget-backoff", "refusals += 1"),
        budget.without("api-budget-backoff-ends", "refusals = 0", after: "mutating func answered() { "),
        budgets.mutant("api-budget-of-app", "scope.bundleId", after: "self.init(bundleId: ", #"BundleId("")"#),
        budgets.mutant("api-budget-of-environment", "scope.environment", ".production"),
        groups.mutant("api-budget-extend-status", "1", after: #""extend-status", "#, "20"),
        groups.mutant("api-budget-finish", "50", after: #""finish", "#, "20"),
        groups.mutant("api-budget-sandbox", "Double(perSecond) / 10", "Double(perSecond)"),

        tokens.mutant("api-token-age", "(0..<useSeconds).contains(now - cached.token.issuedAt)", "true"),
        tokens.mutant("api-token-generation", "cached.generation == key.generation", "true"),
        tokens.mutant("api-token-of-another-request", "cached.token.isSame(as: token)", "true"),
        tokens.without("api-token-discarded", "state.tokens[bundleId] = nil"),
        tokens.without("api-key-looked-at-after-401", "state.keys[credentials.keyFile]?.lookedAt = nil"),
        token.mutant(
            "api-token-redacted", #"$0.split(separator: $1).joined(separator: "<token>")"#, "$0 + String($1.prefix(0))"),
        keyFile.mutant("api-key-unchanged", "current != version", "true"),
        keyFile.mutant("api-key-reported-once", "version != nil || key == nil", "true"),

        request.mutant("api-path-alphabet", "bytes.allSatisfy(isPlain)", "true"),
        request.mutant("api-path-dots", "!bytes.allSatisfy { $0 == 0x2E }", "true"),
        request.mutant("api-path-surplus", "rest.isEmpty", "true"),
        request.mutant("api-query-encoded", "isPlain(byte) || byte == UInt8(ascii: \"~\")", "true"),
        client.mutant("api-renewed-token", "error.kind == .unauthorized", after: "guard ", "false"),
        client.without("api-unauthorized-told", "report(.unauthorized(scope))"),
        client.mutant(
            "api-reported-failure", "failure.kind", after: "reportAnswer(request.operation, scope, nil, ", "nil"),
        client.mutant("api-any-2xx", "(200...299).contains(response.status)", "response.status == 200"),

        answers.mutant("api-401", "false", after: "case 401: (.unauthorized, ", "true"),
        answers.mutant("api-429", ".rateLimited", after: "case 429: (", ".refused"),
        answers.mutant("api-500", "true", after: "case 500...599: (.server, ", "false"),
        answers.mutant(
            "api-503-retry-after", #"RetryAfter.moment(response.header("Retry-After"), now: now)"#,
            #"kind == .rateLimited ? RetryAfter.moment(response.header("Retry-After"), now: now) : nil"#),
        answers.mutant("api-proxy-4xx", "status != 400", after: "code?.isRetriable ?? (", "false"),
        answers.mutant(
            "api-code-as-text", "number?.integer ?? number?.string.flatMap { Int64($0) }", "number?.integer"),
        text.mutant("api-text-printable", "isPrintable(scalar) ? scalar : \" \"", "scalar"),
        reader.without(
            "api-member-type",
            "if let problem = fields.problems.first { throw AnswerError(message: problem.description) }"
        ),

        refused.mutant(
            "api-object-of-app", "bundleId.rawValue.utf8.elementsEqual(scope.bundleId.rawValue.utf8)", "true"),
        refused.mutant("api-object-of-environment", "environment != scope.environment", "false"),
        verified.without(
            "api-refusal-told", "report(.refusedObject(operation, scope, reason: refused.reason))"),

        pages.mutant("api-pages-repeated", "seen.insert(next).inserted", "true"),
        pages.mutant("api-pages-cursor-length", "(1...Self.longestCursor).contains(next.utf8.count)", "true"),
        pages.without("api-pages-told", "reportRepeat()"),
    ]
}
