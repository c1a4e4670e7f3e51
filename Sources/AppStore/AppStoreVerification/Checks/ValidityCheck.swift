internal import Cryptography

/// Check 10: now lies inside the validity of all three certificates, both ends included. Judged at the present, never at a
/// date of the payload: an expired key that was stolen could back-date whatever it signs.
enum ValidityCheck {
    /// A clock that is wrong, or Apple's changeover of certificates, heals within two days; until then a retry can help.
    static let graceSeconds: Int64 = 48 * 3600

    /// - Parameter now: milliseconds since 1970.
    static func check(_ path: ValidatedPath, at now: Int64) throws(Rejection) {
        let seconds = now >= 0 || now % 1000 == 0 ? now / 1000 : now / 1000 - 1
        let distance = path.validity.distance(to: seconds)
        guard distance != 0 else { return }
        let outside = distance == .min ? .max : abs(distance)
        throw .refused(
            Refusal(
                .certificateTime, at: .validity, outside <= graceSeconds ? .unavailable : .forbidden,
                detail: distance > 0 ? "a certificate has expired" : "a certificate is not valid yet",
                secondsOutsideValidity: outside, certificates: path.serials))
    }
}
