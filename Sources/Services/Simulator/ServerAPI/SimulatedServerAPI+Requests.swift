internal import AppStoreModel
internal import HTTPServer
internal import JSON
internal import Primitives
internal import Synchronization

// Request handling on the event loop thread. Every step takes less than a millisecond.
extension SimulatedServerAPI {
    private static let maximumBodyBytes = 64 * 1024

    func listener(_ environment: AppStoreEnvironment) -> Listener {
        var limits = Limits.public
        limits.connectsPerSecond = 0
        limits.inFlight = 4096
        // The server must not time out first: the fault `timeout` holds a request for ``ServerAPIFaults/hold``.
        limits.handlerTime = .seconds(3600)
        return Listener(
            name: "server api", host: settings.host, port: settings.ports[environment] ?? 0, limits: limits,
            admit: { Self.admission(of: $0) },
            handle: { [self] request, exchange in handle(request, exchange, environment) })
    }

    private static func admission(of head: RequestHead) -> Admission {
        if SimulatorInspection(path: head.path) != nil {
            return head.isGetOrHead ? .noBody : .methodNotAllowed(allow: "GET, HEAD")
        }
        switch ServerAPIRoute.match(method: head.method, path: head.path) {
        case .route(let route): return route.operation.takesBody ? .optionalBody(limit: maximumBodyBytes) : .noBody
        case .otherMethods(let methods): return .methodNotAllowed(allow: methods)
        case .none: return .notFound
        }
    }

    /// A request with a recognized path.
    private struct Received: Sendable {
        let environment: AppStoreEnvironment
        let route: ServerAPIRoute
        let request: HTTPRequest
        /// The time at which the request was received, in milliseconds since 1970.
        let now: Int64
    }

    private func handle(_ request: HTTPRequest, _ exchange: Exchange, _ environment: AppStoreEnvironment) {
        if let inspection = SimulatorInspection(path: request.head.path) {
            return exchange.respond(answer(inspection))
        }
        guard case .route(let route) = ServerAPIRoute.match(method: request.head.method, path: request.head.path) else {
            return exchange.respond(HTTPResponse(status: 404, reason: "path"))
        }
        let received = Received(
            environment: environment, route: route, request: request, now: clocks.wallMilliseconds())
        if let problem = BearerToken.problem(
            of: request.head.header("authorization"), settings.credentials,
            bundleId: settings.app.bundleId.rawValue, now: received.now / 1000)
        {
            state.withLock { $0.tokenProblems[problem, default: 0] += 1 }
            return exchange.respond(HTTPResponse(status: 401, reason: "unauthorized"))
        }
        if let wait = limited(received) {
            note(received, status: 429, errorCode: ServerAPIError.rateLimitExceeded.code, fault: nil)
            let time = Self.header(.milliseconds, after: .nanoseconds(Int64(clamping: wait)), now: received.now)
            return exchange.respond(Self.refusal(.rateLimitExceeded, headers: time))
        }
        let (fault, faults) = state.withLock { state in
            let path = request.head.path
            let number = state.number(of: "\(route.operation.method) \(path)")
            return (
                state.faults.fault(of: route.operation, request.head.method, path, number: number), state.faults
            )
        }
        respond(received, exchange, fault, faults)
    }

    /// Returns `nil` if the request is admitted, otherwise the number of nanoseconds until it would be admitted.
    private func limited(_ received: Received) -> UInt64? {
        let limit = settings.limits.limit(of: received.route.operation, in: received.environment)
        let key = ServerAPIState.RateKey(environment: received.environment, operation: received.route.operation)
        let now = clocks.monotonicNanoseconds()
        return state.withLock { $0.rates[key, default: RequestRate()].admit(limit, now: now) }
    }

    private func respond(
        _ received: Received, _ exchange: Exchange, _ fault: ServerAPIFaults.Kind?, _ faults: ServerAPIFaults
    ) {
        switch fault {
        case nil: exchange.respond(perform(received, fault: nil))
        case .latency:
            let response = perform(received, fault: fault)
            settings.after(faults.latency) { exchange.respond(response) }
        case .rateLimit:
            note(received, status: 429, errorCode: ServerAPIError.rateLimitExceeded.code, fault: fault)
            let headers = Self.header(faults.retryAfterForm, after: faults.retryAfter, now: received.now)
            exchange.respond(Self.refusal(.rateLimitExceeded, headers: headers))
        case .internalError: refuse(received, exchange, .generalInternal, fault)
        case .retryableError: refuse(received, exchange, .generalInternalRetryable, fault)
        case .forbidden:
            note(received, status: 403, errorCode: nil, fault: fault)
            exchange.respond(
                HTTPResponse(
                    status: 403, reason: "forbidden", contentType: "text/html",
                    body: Array("<html><body>Forbidden</body></html>".utf8)))
        case .timeout:
            note(received, status: nil, errorCode: nil, fault: fault)
            let number = state.withLock { $0.hold(exchange) }
            settings.after(faults.hold) { [weak self] in
                self?.state.withLock { $0.release(number) }?.reset()
            }
        case .reset:
            note(received, status: nil, errorCode: nil, fault: fault)
            exchange.reset()
        case .malformed:
            let response = Self.malformed(received.route.operation)
            note(received, status: response.status, errorCode: nil, fault: fault)
            exchange.respond(response)
        case .lost:
            _ = perform(received, fault: fault)
            exchange.reset()
        }
    }

    private func refuse(
        _ received: Received, _ exchange: Exchange, _ error: ServerAPIError, _ fault: ServerAPIFaults.Kind?
    ) {
        note(received, status: error.status, errorCode: error.code, fault: fault)
        exchange.respond(Self.refusal(error))
    }

    /// Performs a request and posts the resulting notifications.
    private func perform(_ received: Received, fault: ServerAPIFaults.Kind?) -> HTTPResponse {
        let input = ServerAPIEnvironment.Input(
            query: ServerAPIQuery(received.request.head.query), body: received.request.body, now: received.now)
        do throws(ServerAPIError) {
            let outcome = try state.withLock { (state) throws(ServerAPIError) in
                guard state.environments[received.environment] != nil,
                    let outcome = try state.environments[received.environment]?.perform(received.route, input)
                else { throw .appNotFound }
                return outcome
            }
            note(received, status: outcome.status, errorCode: nil, fault: fault)
            for notification in outcome.notifications { post(notification, in: received.environment) }
            if let information = outcome.information {
                accepted(
                    information, received.route.parameters.first ?? "", in: received.environment, now: received.now)
            }
            return HTTPResponse(status: outcome.status, reason: "ok", body: outcome.body?.bytes ?? [])
        } catch {
            note(received, status: error.status, errorCode: error.code, fault: fault)
            return Self.refusal(error)
        }
    }

    /// Records a PUT request with consumption information. Ignores other requests.
    private func note(_ received: Received, status: Int?, errorCode: Int64?, fault: ServerAPIFaults.Kind?) {
        guard received.route.operation.isConsumption, let id = received.route.parameters.first else { return }
        state.withLock { state in
            let number = state.answers.count(received.environment, id)
            state.answers.append(
                ConsumptionAnswer(
                    environment: received.environment, transactionId: TransactionId(id),
                    version: received.route.operation == .sendConsumptionInformation ? 2 : 1,
                    body: received.request.body, receivedAt: received.now, number: number, status: status,
                    errorCode: errorCode, fault: fault))
        }
    }

    // MARK: Answers

    private static func refusal(
        _ error: ServerAPIError, headers: [(name: String, value: String)] = []
    ) -> HTTPResponse {
        var body: [UInt8] = []
        if let code = error.code {
            var object = JSONObject()
            object.put("errorCode", code)
            object.put("errorMessage", error.message)
            body = object.bytes
        }
        return HTTPResponse(status: error.status, reason: error.name, headers: headers, body: body)
    }

    /// Returns a response with truncated JSON, or with an HTML page for an operation that does not respond with JSON.
    private static func malformed(_ operation: ServerAPIOperation) -> HTTPResponse {
        guard operation.answersWithJSON else {
            return HTTPResponse(
                status: 500, reason: "malformed", contentType: "text/html",
                body: Array("<html><body>Service Unavailable</body></html>".utf8))
        }
        return HTTPResponse(status: 200, reason: "malformed", body: Array("{\"signedTransactionInfo\":\"eyJ".utf8))
    }

    private static func header(
        _ form: ServerAPIFaults.RetryAfter, after delay: Duration, now: Int64
    ) -> [(name: String, value: String)] {
        let milliseconds = delay.clampedMilliseconds
        let time = now + milliseconds
        let value: String? =
            switch form {
            case .milliseconds: String(time)
            case .seconds: String((milliseconds + 999) / 1000)
            case .epochSeconds: String((time + 999) / 1000)
            case .date: String(decoding: HTTPDate.bytes(seconds: (time + 999) / 1000), as: UTF8.self)
            case .absent: nil
            case .past: String(now - 3_600_000)
            case .far: "32503680000000"
            }
        return value.map { [("Retry-After", $0)] } ?? []
    }
}
