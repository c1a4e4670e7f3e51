internal import JSON

/// The moment at which the certificates of a signed object must be valid.
public enum CertificateMoment: Sendable {
    /// The current time, for everything that a third party can submit: an attacker with a stolen, expired key can put
    /// any date into a payload.
    case present
    /// The object's `signedDate`, for objects that the App Store Server API returned over a verified TLS connection:
    /// for 180 days, Apple returns objects signed under a leaf that has since expired. Apple's libraries do the same
    /// when online checks are off. The current time is used if an object has no date or a date in the future.
    case signature

    /// Returns the moment to use for an object with this payload, in milliseconds since 1970.
    /// - Parameter now: milliseconds since 1970.
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
