package import AppStoreModel
package import JSON

/// Apple accepted the answer of a round.
package struct AnswerAcceptance: DatedPart {
    /// The newest request that was known, by Apple's clock.
    package var through: AppStoreInstant
    /// By the clock of the member that sent it; nothing is compared with it.
    package var at: AppStoreInstant
    /// Requests that were sent until then, as far as the member knows that had the last answer.
    package var attempts: Int64

    package init(through: AppStoreInstant, at: AppStoreInstant, attempts: Int64) {
        self.through = through
        self.at = at
        self.attempts = attempts
    }

    package var date: AppStoreInstant { through }
    package var rank: [Int64] { [-at.millisecondsSince1970] }

    package func write(to object: inout JSONWriter) {
        object.set("through", through)
        object.set("at", at)
        object.set("attempts", attempts)
    }

    package init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let through = fields.instant("through"), let at = fields.instant("at") else { return nil }
        self.init(through: through, at: at, attempts: fields.int64("attempts") ?? 0)
    }
}

/// A round ends without an accepted answer.
package struct AnswerEnd: DatedPart {
    package enum Kind: String, Sendable, CaseIterable {
        /// Its time was over when this installation first read it.
        case tooLate = "too_late"
        /// The time was over.
        case missed
        /// `refunds.mode` is `observe`: the answer was decided and not sent.
        case observed
        /// On purpose: no consent, or the company decides not to answer.
        case withheld
        /// Apple refused the answer, with an error that trying again does not change.
        case refused
    }

    package var kind: Kind
    /// The newest request that was known, by Apple's clock.
    package var through: AppStoreInstant
    /// By the clock of the member that ended it; nothing is compared with it.
    package var at: AppStoreInstant
    /// A code of ``RefundReason``, or the App Store Server API's.
    package var reason: String

    package init(_ kind: Kind, through: AppStoreInstant, at: AppStoreInstant, reason: String) {
        self.kind = kind
        self.through = through
        self.at = at
        self.reason = reason
    }

    package var date: AppStoreInstant { through }
    package var rank: [Int64] { [Int64(Kind.allCases.firstIndex(of: kind) ?? 0), -at.millisecondsSince1970] }

    package func write(to object: inout JSONWriter) {
        object.set("kind", kind.rawValue)
        object.set("through", through)
        object.set("at", at)
        object.set("reason", reason)
    }

    package init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let kind = fields.string("kind").flatMap(Kind.init(rawValue:)), let through = fields.instant("through"),
            let at = fields.instant("at")
        else { return nil }
        self.init(kind, through: through, at: at, reason: fields.string("reason") ?? "")
    }
}

/// Why a round that waits could not be decided or sent the last time; recorded when it differs from the time before.
package struct AnswerObstacle: CasePart {
    /// The newest request that was known, by Apple's clock.
    package var through: AppStoreInstant
    package var at: AppStoreInstant
    /// A code of ``RefundReason``.
    package var reason: String
    /// HTTP status; nil when there was no answer.
    package var status: Int32?
    /// One line for people.
    package var message: String

    package init(through: AppStoreInstant, at: AppStoreInstant, reason: String, status: Int32?, message: String) {
        self.through = through
        self.at = at
        self.reason = reason
        self.status = status
        self.message = message
    }

    package var rank: [Int64] { [through.millisecondsSince1970, at.millisecondsSince1970] }

    /// Whether it says something else than another: messages of proxies differ each time.
    package func differs(from other: AnswerObstacle?) -> Bool {
        reason != other?.reason || status != other?.status || through != other?.through
    }

    package func write(to object: inout JSONWriter) {
        object.set("through", through)
        object.set("at", at)
        object.set("reason", reason)
        object.set("status", status)
        object.set("message", message)
    }

    package init?(_ element: JSONElement) {
        var fields = FieldReader(element)
        guard let through = fields.instant("through"), let at = fields.instant("at") else { return nil }
        self.init(
            through: through, at: at, reason: fields.string("reason") ?? "", status: fields.int32("status"),
            message: fields.string("message") ?? "")
    }
}
