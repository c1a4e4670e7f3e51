import AppStoreModel
import EntitlementRules
import JSON
import Testing

/// A subscription that renews on day 30, but whose renewal is not reported.
@Suite struct RenewalSilenceTests {
    private static let end = 30 * day

    private func bought() throws -> PurchaseFacts {
        try purchase(
            Notification(
                .subscribed, .initialBuy, signed: 0, status: .active, transaction: period("1", from: 0, to: Self.end),
                renewalInfo: renewal()))
    }

    private func policy(readUntil moment: Int64?) -> SubscriptionPolicy {
        var policy = SubscriptionPolicy()
        policy.receivedUntil = moment.map { at($0) }
        return policy
    }

    private func text(_ purchase: PurchaseFacts, at moment: Int64, readUntil: Int64?) -> String {
        let state = purchase.state(at: at(moment), policy: policy(readUntil: readUntil))
        let mark = state?.isUnknown == true ? " unknown" : ""
        return "\(state?.phase.rawValue ?? "") \(state?.isEntitled ?? false)\(mark)"
    }

    @Test func `a customer stays entitled until a renewal is reported at Apple's first retry`() throws {
        let purchase = try bought()
        #expect(text(purchase, at: Self.end + 62 * minute, readUntil: nil) == "RENEWING true")
        #expect(text(purchase, at: Self.end + 3 * hour - 1, readUntil: nil) == "RENEWING true")
        #expect(text(purchase, at: Self.end + 3 * hour, readUntil: nil) == "EXPIRED false")
    }

    struct Case: CustomTestStringConvertible {
        let testDescription: String
        /// The number of milliseconds after the end of the period.
        let readUntil: Int64
        let asked: Int64
        let expected: String

        init(_ name: String, read readUntil: Int64, asked: Int64, _ expected: String) {
            (testDescription, self.readUntil, self.asked, self.expected) = (name, readUntil, asked, expected)
        }
    }

    @Test(arguments: [
        Case("an outage that began before the end", read: -hour, asked: 4 * hour, "RENEWING true unknown"),
        Case("an outage that began within the leeway", read: 2 * hour, asked: 6 * hour, "RENEWING true unknown"),
        Case("input exactly as old as the leeway", read: 0, asked: 3 * hour, "EXPIRED false"),
        Case("input older than the leeway", read: 0, asked: 3 * hour + 1, "RENEWING true unknown"),
        Case("nothing is unknown within the leeway", read: -day, asked: 3 * hour - 1, "RENEWING true"),
        Case("silence observed throughout the leeway", read: 3 * hour, asked: 10 * hour, "EXPIRED false"),
        Case("silence not observed to its end", read: 3 * hour - 1, asked: 10 * hour, "RENEWING true unknown"),
        Case("just before 24 hours", read: -day, asked: 24 * hour - 1, "RENEWING true unknown"),
        Case("after 24 hours", read: -day, asked: 24 * hour, "EXPIRED false"),
    ])
    func `a renewal counts as missing only up to the time to which the input was read`(given: Case) throws {
        #expect(
            text(try bought(), at: Self.end + given.asked, readUntil: Self.end + given.readUntil) == given.expected)
    }

    @Test func `a cancelled subscription expires regardless of the age of the input`() throws {
        let purchase = try purchase(
            Notification(
                .subscribed, .initialBuy, signed: 0, status: .active, transaction: period("1", from: 0, to: Self.end),
                renewalInfo: renewal(0)))
        #expect(text(purchase, at: Self.end + 4 * hour, readUntil: 0) == "EXPIRED false")
    }

    @Test func `an answer with unread input is marked and contains the end of its validity`() throws {
        let answer = EntitlementAnswer(
            purchases: [try bought()], environment: .production, at: at(Self.end + 5 * hour),
            rules: ProductRules().reading(until: at(Self.end)))
        #expect(answer.active == ["monthly"])
        #expect(answer.nextChange == at(Self.end + 24 * hour))
        let text = JSONWriter.text { writer in writer.object { answer.write(to: &$0) } }
        let grant = try #require(try JSONValue(json: text).object?["grants"]?.array?.first?.object)
        #expect(grant["unknown"] == true)
        #expect(grant["state"] == "RENEWING")
        #expect(grant["until"]?.integer == at(Self.end + 24 * hour).millisecondsSince1970)
        let read = EntitlementAnswer(
            purchases: [try bought()], environment: .production, at: at(Self.end + hour),
            rules: ProductRules().reading(until: at(Self.end + hour)))
        #expect(read.grants.first?.isUnknown == false)
        #expect(read.nextChange == at(Self.end + 3 * hour))
    }

    @Test func `a leeway of zero disables access during unread input`() throws {
        var policy = policy(readUntil: 0)
        policy.outageLeewayMilliseconds = 0
        #expect(try bought().state(at: at(Self.end + 4 * hour), policy: policy)?.phase == .expired)
    }
}
