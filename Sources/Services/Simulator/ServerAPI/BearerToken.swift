internal import Cryptography
internal import JSON
internal import Primitives

/// Verifies a request's token strictly according to Apple's documentation ("Generating JSON Web Tokens for API
/// requests"). The client receives only 401; the server counts the reasons.
struct BearerToken {
    /// The reason that a token is rejected.
    enum Problem: String, Sendable, CaseIterable {
        /// There is no `Authorization` header with a bearer token.
        case missing
        /// The token does not have three base64url segments, or the first two are not JSON.
        case form
        case algorithm
        case type
        case keyId
        case signature
        case issuer
        case audience
        case bundleId
        /// `iat` is in the future.
        case issuedInFuture
        /// `exp` is missing, or is more than 60 minutes after `iat`.
        case lifetime
        case expired
    }

    private static let longestLifetime: Int64 = 3600
    private static let maximumBytes = 8192

    /// Returns the reason that a request's token is rejected, or `nil` if it is valid.
    ///
    /// - Parameter now: seconds since 1970.
    static func problem(
        of authorization: String?, _ credentials: ServerAPICredentials, bundleId: String, now: Int64
    ) -> Problem? {
        guard let authorization, authorization.hasPrefix("Bearer ") else { return .missing }
        let token = Array(authorization.utf8.dropFirst("Bearer ".utf8.count))
        let parts = token.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard token.count <= maximumBytes, parts.count == 3,
            let header = object(parts[0]), let claims = object(parts[1]),
            let signature = try? Base64URL.decode(Array(parts[2]))
        else { return .form }
        guard header["alg"]?.string == "ES256" else { return .algorithm }
        guard header["typ"]?.string == "JWT" else { return .type }
        guard header["kid"]?.string == credentials.keyId else { return .keyId }
        let signed = Array(token[..<(parts[1].endIndex)])
        let digest = SHA256.digest(of: signed)
        guard credentials.publicKey.verify(digest: digest, rawSignature: signature) == .valid else {
            return .signature
        }
        guard claims["iss"]?.string == credentials.issuerId else { return .issuer }
        guard claims["aud"]?.string == "appstoreconnect-v1" else { return .audience }
        guard claims["bid"]?.string == bundleId else { return .bundleId }
        return problem(ofTimesIn: claims, now: now)
    }

    /// Checks `iat` and `exp`. Apple's Python library does not send `iat`; the lifetime of its tokens is measured from
    /// now.
    private static func problem(ofTimesIn claims: JSONObject, now: Int64) -> Problem? {
        var issued = now
        if let claim = claims["iat"] {
            guard let seconds = claim.integer else { return .issuedInFuture }
            issued = seconds
        }
        guard issued <= now else { return .issuedInFuture }
        guard let expires = claims["exp"]?.integer else { return .lifetime }
        guard expires > now else { return .expired }
        let (lifetime, overflow) = expires.subtractingReportingOverflow(issued)
        return !overflow && lifetime <= longestLifetime ? nil : .lifetime
    }

    private static func object(_ segment: ArraySlice<UInt8>) -> JSONObject? {
        guard let text = try? Base64URL.decode(Array(segment)) else { return nil }
        return (try? JSONValue(json: text))?.object
    }
}
