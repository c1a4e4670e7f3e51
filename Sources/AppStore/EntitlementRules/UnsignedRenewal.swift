internal import AppStoreModel
internal import JSON

/// A version 1 statement about a renewal, with the values by which these statements are ordered.
struct UnsignedRenewal: Hashable, Sendable {
    /// The renewal facts, with the time of receipt as their version.
    var facts: RenewalFacts
    /// The start of the period that the body is about. A statement about a later period is newer. The date alone is not
    /// enough, because a recovery during a grace period has the same date as the preceding failure.
    var periodStart: AppStoreInstant
    /// The date of the notification, which is the time of the event if the body contains it.
    var date: AppStoreInstant

    init(_ payload: RenewalInfoPayload, version: FactVersion, periodStart: AppStoreInstant?, date: AppStoreInstant) {
        var content = RenewalFacts(payload, fallback: version).content
        content.version = version
        facts = RenewalFacts(content).written
        self.periodStart = periodStart ?? .earliest
        self.date = date
    }

    func isNewer(than other: UnsignedRenewal) -> Bool {
        if periodStart != other.periodStart { return periodStart > other.periodStart }
        if date != other.date { return date > other.date }
        return RenewalFacts.isNewer(facts, than: other.facts)
    }

    /// The facts without the failed charge, used when a later period is known.
    var withoutFailure: RenewalFacts {
        var content = facts.content
        content.isInBillingRetryPeriod = nil
        content.gracePeriodExpiresDate = nil
        content.expirationIntent = nil
        return RenewalFacts(content)
    }

    /// Returns whether signed facts about the same period agree with this statement. If they do, either can be used. A
    /// missing element is not a disagreement: the older formats cannot express a grace period without an end, and the
    /// oldest format cannot express a failed charge.
    ///
    /// - Parameter end: the end of the period that the body is about, or nil if unknown.
    func isSame(as signed: RenewalFacts, until end: AppStoreInstant?) -> Bool {
        guard !isLater(than: signed, until: end) else { return false }
        let (said, known) = (facts.content, signed.content)
        func agrees<Value: Equatable>(_ value: Value?, _ other: Value?) -> Bool { value == nil || value == other }
        let isRetrying = known.isInBillingRetryPeriod ?? false
        return agrees(said.isInBillingRetryPeriod, isRetrying)
            && agrees(said.gracePeriodExpiresDate, known.gracePeriodExpiresDate)
            && agrees(said.expirationIntent, known.expirationIntent)
            && agrees(said.autoRenewStatus, known.autoRenewStatus)
            && agrees(said.autoRenewProductId, known.autoRenewProductId)
            && agrees(said.priceIncreaseStatus, known.priceIncreaseStatus)
    }

    /// Returns whether the body is about a later period than the signed renewal info.
    private func isLater(than signed: RenewalFacts, until end: AppStoreInstant?) -> Bool {
        guard let renewalDate = signed.renewalDate else { return signed.version.signedDate < periodStart }
        return end.map { renewalDate < $0 } ?? (renewalDate <= periodStart)
    }

    // MARK: JSON

    func write(to object: inout JSONWriter) {
        object.name("renewalInfo")
        facts.writeObject(to: &object)
        object.array("renewalOrder") {
            $0.integer(periodStart.millisecondsSince1970)
            $0.integer(date.millisecondsSince1970)
        }
    }

    /// Returns nil if there is no renewal info or it is marked as signed.
    ///
    /// - Parameter keepsText: whether to keep the text instead of parsing it now. Use this only for text that this
    ///   library wrote.
    init?(_ fields: inout FieldReader, keepsText: Bool) {
        guard let facts = fields.object("renewalInfo").flatMap({ RenewalFacts($0, keepsText: keepsText) }),
            !facts.version.isSigned
        else { return nil }
        self.facts = facts
        let order = (fields.element("renewalOrder")?.elements ?? []).map { element in
            element.integer.flatMap { AppStoreInstant(millisecondsSince1970: $0) }
        }
        periodStart = order.first.flatMap { $0 } ?? .earliest
        date = order.dropFirst().first.flatMap { $0 } ?? facts.version.signedDate
    }
}
