package import AppStoreModel
internal import JSON

/// One PUT request with consumption information, and its outcome.
package struct ConsumptionAnswer: Sendable, Equatable {
    package let environment: AppStoreEnvironment
    /// The id, as written in the path.
    package let transactionId: TransactionId
    /// The version of the endpoint: 1 or 2.
    package let version: Int
    /// The body as received.
    package let body: [UInt8]
    /// The time at which the request was received, in milliseconds since 1970.
    package let receivedAt: Int64
    /// The one-based number of this request among the transaction's PUT requests.
    package let number: Int
    /// The HTTP status of the response, even if the response was lost, or `nil` if the request was not processed
    /// because of a timeout or reset.
    package let status: Int?
    /// Apple's error code, if the error has one.
    package let errorCode: Int64?
    /// The injected fault, if any.
    package let fault: ServerAPIFaults.Kind?

    /// Whether the App Store has the information: status 202, even if the response was lost.
    package var isAccepted: Bool { status == 202 }

    /// The answer as one JSON object on one line, without a line feed.
    var line: JSONObject {
        var line = JSONObject()
        line.put("environment", environment.rawValue)
        line.put("transactionId", transactionId.rawValue)
        line.put("version", Int64(version))
        line.put("put", Int64(number))
        line.put("receivedAt", receivedAt)
        line.put("accepted", isAccepted)
        line.put("status", status.map { Int64($0) })
        line.put("errorCode", errorCode)
        line.put("fault", fault?.rawValue)
        line.put("body", String(decoding: body, as: UTF8.self))
        return line
    }
}

/// The consumption answers received by the API, oldest first.
struct ConsumptionAnswers: Sendable {
    /// Maximum number of answers to store. If there are more, the oldest ones are dropped.
    static let maximum = 200_000

    private(set) var all: [ConsumptionAnswer] = []
    private var counts: [String: Int] = [:]

    /// Counts a PUT request for a transaction, and returns the number of the transaction's requests, including this
    /// one.
    mutating func count(_ environment: AppStoreEnvironment, _ transactionId: String) -> Int {
        counts["\(environment.rawValue)/\(transactionId)", default: 0] += 1
        return counts["\(environment.rawValue)/\(transactionId)", default: 0]
    }

    mutating func append(_ answer: ConsumptionAnswer) {
        if all.count >= Self.maximum { all.removeFirst(Self.maximum / 10) }
        all.append(answer)
    }
}
