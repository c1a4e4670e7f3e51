internal import AppStoreModel
internal import HTTPServer
internal import JSON
internal import Synchronization

/// Diagnostic pages outside the API, with one JSON object per line. They do not require a token.
enum SimulatorInspection: String, CaseIterable {
    /// Every PUT request with consumption information.
    case consumption
    /// The requests to each endpoint: the total, the number over the limit, and the busiest second.
    case requests
    /// Refund requests and their decisions.
    case refunds
    /// The registered transactions.
    case transactions

    static let prefix = "/simulator/"

    init?(path: String) {
        guard path.hasPrefix(Self.prefix) else { return nil }
        self.init(rawValue: String(path.dropFirst(Self.prefix.count)))
    }
}

extension SimulatedServerAPI {
    func answer(_ inspection: SimulatorInspection) -> HTTPResponse {
        let lines = state.withLock { (state) -> [JSONObject] in self.lines(of: inspection, state) }
        return HTTPResponse(
            status: 200, reason: "ok", contentType: "application/x-ndjson",
            body: lines.flatMap { $0.bytes + [UInt8(ascii: "\n")] })
    }

    private func lines(of inspection: SimulatorInspection, _ state: ServerAPIState) -> [JSONObject] {
        switch inspection {
        case .consumption: state.answers.all.map(\.line)
        case .refunds: state.cases.all.map(\.line)
        case .requests:
            settings.environments.flatMap { environment in
                ServerAPIOperation.allCases.compactMap { operation in
                    state.rates[ServerAPIState.RateKey(environment: environment, operation: operation)]
                        .map { Self.line(of: $0, operation, environment) }
                }
            }
        case .transactions:
            settings.environments.flatMap { environment in
                (state.environments[environment]?.store.transactions ?? [:]).sorted { $0.key < $1.key }
                    .map { Self.line(of: $0.value, $0.key, environment) }
            }
        }
    }

    private static func line(
        of rate: RequestRate, _ operation: ServerAPIOperation, _ environment: AppStoreEnvironment
    ) -> JSONObject {
        var line = JSONObject()
        line.put("environment", environment.rawValue)
        line.put("operation", operation.rawValue)
        line.put("requests", Int64(rate.requests))
        line.put("refused", Int64(rate.refused))
        line.put("busiestSecond", Int64(rate.busiestSecond))
        return line
    }

    private static func line(
        of transaction: ServerAPIStore.StoredTransaction, _ id: String, _ environment: AppStoreEnvironment
    ) -> JSONObject {
        var line = JSONObject()
        line.put("environment", environment.rawValue)
        line.put("transactionId", id)
        line.put("originalTransactionId", transaction.payload["originalTransactionId"]?.string)
        line.put("appTransactionId", transaction.payload["appTransactionId"]?.string)
        line.put("productId", transaction.payload["productId"]?.string)
        line.put("orderId", ServerAPIStore.orderId(of: id))
        return line
    }
}
