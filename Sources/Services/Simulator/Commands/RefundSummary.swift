internal import JSON

/// The outcomes of the refund requests in a run that served the App Store Server API.
struct RefundSummary: Sendable, Equatable {
    let cases: Int
    let answered: Int
    let refunded: Int
    let declined: Int
    /// Number of PUT requests with consumption information, including repeated and refused ones.
    let consumptionRequests: Int
    /// Number of notifications posted by the API that were never acknowledged.
    let failedNotifications: Int

    init(_ api: SimulatedServerAPI) {
        let all = api.refunds
        let decided = all.filter(\.isClosed)
        cases = all.count
        answered = all.count { $0.isAnswered }
        declined = decided.count { $0.decision == .declined }
        refunded = decided.count - declined
        consumptionRequests = api.answers.count
        failedNotifications = api.failedNotifications
    }

    /// Whether every case was decided and all notifications were acknowledged.
    var isComplete: Bool { refunded + declined == cases && failedNotifications == 0 }

    /// The summary as human-readable text.
    var text: String {
        "  refund cases   \(cases): \(answered) answered, \(refunded) refunded, \(declined) declined"
            + (failedNotifications > 0 ? ", \(failedNotifications) notifications failed" : "")
    }

    /// The summary as JSON.
    var json: JSONObject {
        var object = JSONObject()
        object.put("cases", Int64(cases))
        object.put("answered", Int64(answered))
        object.put("refunded", Int64(refunded))
        object.put("declined", Int64(declined))
        object.put("consumptionRequests", Int64(consumptionRequests))
        object.put("failedNotifications", Int64(failedNotifications))
        return object
    }
}
