package import AppStoreModel
package import JSON

/// Apple's acceptance of a round's answer.
package struct AnswerAcceptance: DatedPart {
    /// The signedDate of the newest request known when Apple accepted the answer.
    package var through: AppStoreInstant
    /// The time on the clock of the member that sent the answer. It is used only to choose between competing values of
    /// this part.
    package var at: AppStoreInstant
    /// The number of attempts to send the answer, as counted by the member that made the last one.
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

/// The end of a round without an accepted answer.
package struct AnswerEnd: DatedPart {
    package enum Kind: String, Sendable, CaseIterable {
        /// The deadline had passed when this installation first read the request.
        case tooLate = "too_late"
        /// The deadline passed without an accepted answer.
        case missed
        /// The answer was decided but not sent, because `refunds.mode` is `observe`.
        case observed
        /// The answer was withheld intentionally: there was no consent, or the company decided not to answer.
        case withheld
        /// Apple refused the answer permanently.
        case refused
    }

    package var kind: Kind
    /// The signedDate of the newest request known when the round ended.
    package var through: AppStoreInstant
    /// The time on the clock of the member that ended the round. It is used only to choose between competing values of
    /// this part.
    package var at: AppStoreInstant
    /// A code from ``RefundReason`` or from the App Store Server API.
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

/// The reason why the last attempt to decide or answer a waiting round failed. It is recorded only if it differs from
/// the previous obstacle.
package struct AnswerObstacle: CasePart {
    /// The signedDate of the newest request known when the attempt failed.
    package var through: AppStoreInstant
    package var at: AppStoreInstant
    /// A code from ``RefundReason``.
    package var reason: String
    /// The HTTP status, or nil if there was no response.
    package var status: Int32?
    /// A one-line message for people.
    package var message: String

    package init(through: AppStoreInstant, at: AppStoreInstant, reason: String, status: Int32?, message: String) {
        self.through = through
        self.at = at
        self.reason = reason
        self.status = status
        self.message = message
    }

    package var rank: [Int64] { [through.millisecondsSince1970, at.millisecondsSince1970] }

    package mutating func erase() { message = "" }

    /// Returns whether this obstacle differs from another. Messages are ignored, because they vary with proxies.
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
