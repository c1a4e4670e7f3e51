package import AppStoreModel
internal import JSON

/// One PUT of consumption information, and what became of it.
package struct ConsumptionAnswer: Sendable, Equatable {
    package let environment: AppStoreEnvironment
    /// As the path has it.
    package let transactionId: TransactionId
    /// Which endpoint: 1 or 2.
    package let version: Int
    /// The body as received.
    package let body: [UInt8]
    /// Milliseconds since 1970.
    package let receivedAt: Int64
    /// Which PUT for this transaction it was, from 1.
    package let number: Int
    /// The HTTP status that was answered, or that would have been had the answer not been lost; `nil` when the request
    /// was not looked at: timeout and reset.
    package let status: Int?
    /// Apple's code, for an error that has one.
    package let errorCode: Int64?
    /// The fault that was injected.
    package let fault: ServerAPIFaults.Kind?

    /// Whether the App Store has the information: status 202, whether or not the client learned it.
    package var isAccepted: Bool { status == 202 }

    /// One JSON object on one line, without the line's end.
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

/// The consumption answers that the API got, oldest first.
struct ConsumptionAnswers: Sendable {
    /// The oldest are dropped beyond.
    static let maximum = 200_000

    private(set) var all: [ConsumptionAnswer] = []
    private var counts: [String: Int] = [:]

    /// How many PUTs there were for a transaction, this one included.
    mutating func count(_ environment: AppStoreEnvironment, _ transactionId: String) -> Int {
        counts["\(environment.rawValue)/\(transactionId)", default: 0] += 1
        return counts["\(environment.rawValue)/\(transactionId)", default: 0]
    }

    mutating func append(_ answer: ConsumptionAnswer) {
        if all.count >= Self.maximum { all.removeFirst(Self.maximum / 10) }
        all.append(answer)
    }
}
