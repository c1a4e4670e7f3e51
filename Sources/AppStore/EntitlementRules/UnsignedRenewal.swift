internal import AppStoreModel
internal import JSON

/// A version 1 statement about a renewal, with the values that order it among other such statements.
struct UnsignedRenewal: Hashable, Sendable {
    /// The renewal facts; their version is the time of receipt.
    var facts: RenewalFacts
    /// The start of the period that the body is about. A statement about a later period is newer, because a recovery
    /// during grace has the same date as the failure before it.
    var periodStart: AppStoreInstant
    /// When the event happened, if the body states it.
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

    /// The facts without the failed charge; used when a later period is known.
    var withoutFailure: RenewalFacts {
        var content = facts.content
        content.isInBillingRetryPeriod = nil
        content.gracePeriodExpiresDate = nil
        content.expirationIntent = nil
        return RenewalFacts(content)
    }

    /// Returns whether signed facts agree about the same period, so that either can be used. If the body lacks an
    /// element, that is not a disagreement: the older formats cannot express a grace period without an end, and the
    /// oldest cannot express a failed charge.
    ///
    /// - Parameter end: the end of the period that the body is about; nil if unknown.
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

    /// Nil if there is no renewal info, or if it is marked as signed.
    ///
    /// - Parameter keepsText: whether this library wrote the text.
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
