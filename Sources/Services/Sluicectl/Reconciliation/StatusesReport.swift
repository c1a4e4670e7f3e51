internal import AppStoreServerAPI
internal import JSON
internal import Reconciliation

/// The result of comparing subscriptions with Apple's statuses.
struct StatusesReport: Sendable {
    var differences: [StatusDifference] = []
    /// The number of subscriptions for which Apple returned a usable status.
    var compared = 0
    /// The number of subscriptions for which there was no usable response.
    var failed = 0
    /// The reason that the remaining subscriptions were not compared, or nil if all were.
    var failure: APIError?

    var isGood: Bool { differences.isEmpty && failed == 0 && failure == nil }

    /// Adds the outcome of one request.
    ///
    /// - Parameter unanswered: the number of consecutive unanswered requests before this one.
    /// - Returns: the problem to report, if any, and the new number of consecutive unanswered requests.
    mutating func add(
        _ outcome: StatusInquiry.Outcome, about subscription: PublishedSubscription, unanswered: Int
    ) -> (problem: String?, unanswered: Int) {
        switch outcome {
        case .answer(.refused(let item)):
            failed += 1
            return ("a signed object in the response was rejected: \(item.object)", 0)
        case .answer(let answer):
            compared += 1
            if let difference = answer.difference(of: subscription) { differences.append(difference) }
            return (nil, 0)
        case .refused(let failure):
            failed += 1
            return (failure.message, 0)
        case .unanswered(let failure):
            failed += 1
            if unanswered + 1 >= StatusInquiry.unansweredInARow { self.failure = failure }
            return (failure.message, unanswered + 1)
        }
    }

    var text: String {
        var text = ""
        if !differences.isEmpty {
            text += StatusText.table(differences)
            text += "\n"
        }
        text += "\(compared) subscriptions compared, \(differences.count) differ"
        return text + (failed > 0 ? ", \(failed) without a usable response from Apple\n" : "\n")
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { object in
            object.set("compared", Int64(compared))
            object.set("failed", Int64(failed))
            object.array("differences") { array in
                for difference in differences {
                    array.object { difference.write(to: &$0) }
                }
            }
        }
        return writer.bytes
    }
}
