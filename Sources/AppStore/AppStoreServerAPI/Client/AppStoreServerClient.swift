package import AppStoreModel
package import AppStoreVerification
package import HTTPClient
package import Primitives
internal import Telemetry
internal import Tracing

/// A client for Apple's App Store Server API, for both environments and all configured apps. Create one per process,
/// because the client owns the tokens and the request budgets.
///
/// The client follows no redirects, reads at most 16 MiB of a response, waits at most 30 seconds for it, and retries
/// only once, after a rejected token. Every signed object in a response is verified and must belong to the requested
/// app and environment. Source: Apple, "App Store Server API" 1.20.
package final class AppStoreServerClient: Sendable {
    package struct Configuration: Sendable {
        /// The credentials for each app. Requests for an app without credentials fail with `noKey`.
        package var credentials: [BundleId: APICredentials]
        /// The scheme, host and port, plus any path prefix that a proxy requires before `/inApps`, without a trailing
        /// `/`.
        package var productionURL: String
        package var sandboxURL: String
        package var limits: RequestBudgets.Limits
        /// The maximum time from the request to the last byte of the response, excluding the wait for the request
        /// budget.
        package var timeout: Duration

        package static let appleProductionURL = "https://api.storekit.apple.com"
        package static let appleSandboxURL = "https://api.storekit-sandbox.apple.com"

        package init(
            credentials: [BundleId: APICredentials], productionURL: String = appleProductionURL,
            sandboxURL: String = appleSandboxURL, limits: RequestBudgets.Limits = RequestBudgets.Limits(),
            timeout: Duration = .seconds(30)
        ) {
            self.credentials = credentials
            self.productionURL = productionURL
            self.sandboxURL = sandboxURL
            self.limits = limits
            self.timeout = timeout
        }
    }

    static let maximumBodyBytes = 16 * 1024 * 1024
    private static let userAgent = "sluice/\(Build.version)"

    private let configuration: Configuration
    private let http: HTTPClient
    private let tokens: BearerTokens
    private let budgets: RequestBudgets
    let verifier: NotificationVerifier
    let clocks: Clocks
    let report: @Sendable (APIEvent) -> Void

    /// - Parameters:
    ///   - verifier: verifies the signed objects in responses; must have the same apps as `configuration`.
    ///   - budgets: the process's request budgets, or nil to create new ones.
    ///   - report: called with events for logs and metrics, on any thread; must not block.
    package init(
        _ configuration: Configuration, http: HTTPClient, verifier: NotificationVerifier, clocks: Clocks = .system,
        budgets: RequestBudgets? = nil, report: @escaping @Sendable (APIEvent) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.http = http
        self.verifier = verifier
        self.clocks = clocks
        self.report = report
        self.budgets = budgets ?? RequestBudgets(configuration.limits, clocks: clocks)
        tokens = BearerTokens(credentials: configuration.credentials, clocks: clocks, report: report)
    }

    /// Whether a key is configured for the app.
    package func isConfigured(_ bundleId: BundleId) -> Bool { configuration.credentials[bundleId] != nil }

    /// Sends any request and returns the body of a successful response (any 2xx).
    ///
    /// - Throws: ``APIError`` of any kind except `unverified`.
    package func send(_ request: APIRequest, to scope: APIScope) async throws(APIError) -> [UInt8] {
        let url = try baseURL(of: scope) + request.target()
        let token = try tokens.token(for: scope.bundleId)
        do throws(APIError) {
            return try await send(request, url, token, scope)
        } catch {
            guard error.kind == .unauthorized else { throw error }
            // Retry with a new token: the key may have been rotated or the clock corrected.
            tokens.discard(token, of: scope.bundleId)
            let renewed = try tokens.token(for: scope.bundleId)
            do throws(APIError) {
                return try await send(request, url, renewed, scope)
            } catch {
                if error.kind == .unauthorized { report(.unauthorized(scope)) }
                throw error
            }
        }
    }

    private func send(
        _ request: APIRequest, _ url: String, _ token: BearerToken, _ scope: APIScope
    ) async throws(APIError) -> [UInt8] {
        try await budgets.waitForTurn(request.operation, scope)
        let begin = clocks.monotonicMilliseconds()
        let span = TraceScope.current?.span?.child(request.operation.method, .client)
        let response: HTTPClientResponse
        do throws(HTTPClientError) {
            response = try await http.send(httpRequest(request, url, token))
            span?.end(spanAttributes(request, url, scope, response), error: spanError(response))
        } catch {
            span?.end(spanAttributes(request, url, scope, nil), error: error.code.description)
            let failure = APIError(error)
            reportAnswer(request.operation, scope, nil, failure.kind, since: begin)
            throw failure
        }
        if (200...299).contains(response.status) {
            reportAnswer(request.operation, scope, response.status, nil, since: begin)
            budgets.answered(request.operation, scope)
            return response.body
        }
        let failure = APIError(response, token: token, now: clocks.wallMilliseconds())
        reportAnswer(request.operation, scope, response.status, failure.kind, since: begin)
        if failure.kind == .rateLimited {
            let until = budgets.close(request.operation, scope, until: failure.retryAt)
            report(.rateLimited(request.operation, scope, until: until))
        } else {
            budgets.answered(request.operation, scope)
        }
        throw failure
    }

    private func reportAnswer(
        _ operation: APIOperation, _ scope: APIScope, _ status: Int?, _ failure: APIError.Kind?, since begin: Int64
    ) {
        let elapsed = clocks.monotonicMilliseconds() - begin
        report(.answered(operation, scope, status: status, failure: failure, milliseconds: elapsed))
    }

    private func httpRequest(_ request: APIRequest, _ url: String, _ token: BearerToken) -> HTTPClientRequest {
        var headers = [
            (name: "Authorization", value: token.revealedAuthorization), (name: "Accept", value: "application/json"),
            (name: "User-Agent", value: Self.userAgent),
        ]
        if request.body != nil { headers.append((name: "Content-Type", value: "application/json")) }
        return HTTPClientRequest(
            method: request.operation.method, url: url, headers: headers, body: request.body,
            timeout: configuration.timeout, maximumBodyBytes: Self.maximumBodyBytes)
    }

    private func baseURL(of scope: APIScope) throws(APIError) -> String {
        switch scope.environment {
        case .production: return configuration.productionURL
        case .sandbox: return configuration.sandboxURL
        default:
            throw .invalidRequest("the App Store Server API exists only for Production and Sandbox")
        }
    }
}
