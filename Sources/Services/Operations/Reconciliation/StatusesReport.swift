internal import AppStoreServerAPI
internal import JSON
internal import Reconciliation

/// What a comparison of subscriptions with Apple's statuses came to.
struct StatusesReport: Sendable {
    var differences: [StatusDifference] = []
    /// Subscriptions about which Apple was asked and answered.
    var compared = 0
    /// Subscriptions without an answer that can be used.
    var failed = 0
    /// Why the rest was not compared.
    var failure: APIFailure?

    var isGood: Bool { differences.isEmpty && failed == 0 && failure == nil }

    /// Adds what came of one question.
    ///
    /// - Parameter unanswered: in a row before it.
    /// - Returns: what is wrong, if anything, and how many are unanswered in a row now.
    mutating func add(
        _ outcome: StatusInquiry.Outcome, about subscription: PublishedSubscription, unanswered: Int
    ) -> (problem: String?, unanswered: Int) {
        switch outcome {
        case .answer(.refused(let item)):
            failed += 1
            return ("a signed object in the answer is refused: \(item.object)", 0)
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
        return text + (failed > 0 ? ", about \(failed) Apple gave no answer that can be used\n" : "\n")
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
