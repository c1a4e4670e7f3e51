internal import AppStoreModel
internal import JSON

/// A statement of a version 1 body about a renewal, with its order among others of its kind.
struct UnsignedRenewal: Hashable, Sendable {
    /// Its version is the moment of receipt.
    var facts: RenewalFacts
    /// When the period begins that the body is about: of two statements the one about the later period is newer, since a
    /// recovery inside grace is dated like the failure before it.
    var periodStart: AppStoreInstant
    /// When it happened, as far as the body tells.
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

    /// The facts without what is said of a failed charge: a later period is known.
    var withoutFailure: RenewalFacts {
        var content = facts.content
        content.isInBillingRetryPeriod = nil
        content.gracePeriodExpiresDate = nil
        content.expirationIntent = nil
        return RenewalFacts(content)
    }

    /// Whether signed facts say the same of the same period, so that it does not matter which of them counts. An element
    /// that the body lacks contradicts nothing: the older forms cannot tell a grace period without an end, and the oldest
    /// no failed charge.
    ///
    /// - Parameter end: when the period ends that the body is about; nil where it is not known.
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

    /// Whether the body is about a later period than the one that Apple signed the renewal info of.
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

    /// Nil without renewal info, and for one that claims to be signed.
    ///
    /// - Parameter keepsText: the text is one that this library wrote.
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
