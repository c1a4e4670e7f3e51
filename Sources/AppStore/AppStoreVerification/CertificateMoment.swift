internal import JSON

/// The time at which the certificates of a signed object must be valid.
public enum CertificateMoment: Sendable {
    /// The current time. Used for everything that third parties can submit: an attacker with a stolen, expired key can
    /// put any date into a payload.
    case present
    /// The object's `signedDate`. Used for objects received from the App Store Server API over a verified TLS
    /// connection. Apple returns objects for 180 days, and their leaf certificates may expire in the meantime. Apple's
    /// libraries do the same when online checks are off. If the date is missing or in the future, the current time is
    /// used.
    case signature

    /// Returns the time to use for an object with this payload, in milliseconds since 1970.
    /// - Parameter now: the current time, in milliseconds since 1970.
    func milliseconds(of payload: JSONDocument, now: Int64) -> Int64 {
        switch self {
        case .present: return now
        case .signature:
            // App transactions have no signedDate; Apple's libraries use the receipt creation date instead.
            let date = payload.root["signedDate"] ?? payload.root["receiptCreationDate"]
            return min(now, date?.flooredInteger ?? now)
        }
    }
}
