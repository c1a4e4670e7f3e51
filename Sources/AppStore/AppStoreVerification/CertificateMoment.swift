internal import JSON

/// The moment at which the certificates of a signed object have to be valid.
public enum CertificateMoment: Sendable {
    /// The present, for everything that a third party can hand in: a stolen key that has expired can put any date into
    /// what it signs.
    case present
    /// When the object was signed, by its own `signedDate`, for what the App Store Server API returned over a verified
    /// TLS connection: Apple hands out for 180 days what it signed under a leaf that has expired since. Apple's libraries
    /// do the same without online checks. Where an object has no date, or one ahead, the present counts.
    case signature

    /// The moment for an object with this payload.
    /// - Parameter now: milliseconds since 1970.
    func milliseconds(of payload: JSONDocument, now: Int64) -> Int64 {
        switch self {
        case .present: return now
        case .signature:
            // An app transaction has no signedDate; Apple's libraries take the date of its receipt.
            let date = payload.root["signedDate"] ?? payload.root["receiptCreationDate"]
            return min(now, date?.flooredInteger ?? now)
        }
    }
}
