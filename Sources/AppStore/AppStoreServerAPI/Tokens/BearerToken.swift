internal import AppStoreModel
internal import Cryptography
internal import JSON
internal import Primitives

/// A JWT for one app. Its description never contains the token.
struct BearerToken: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The lifetime of a token. Apple allows at most 60 minutes; Apple's libraries use five.
    static let lifetimeSeconds: Int64 = 300

    private let text: String
    /// The time of issue, in seconds since 1970.
    let issuedAt: Int64

    /// Creates a signed token. Source: Apple, "Generating JSON Web Tokens for API requests".
    ///
    /// - Parameter now: the current time, in seconds since 1970.
    /// - Throws: ``CryptographyError`` if OpenSSL cannot sign.
    init(
        issuerId: String, keyId: String, key: PrivateKey, bundleId: BundleId, now: Int64
    ) throws(CryptographyError) {
        var header = JSONWriter()
        header.object {
            $0.set("alg", "ES256")
            $0.set("kid", keyId)
            $0.set("typ", "JWT")
        }
        var claims = JSONWriter()
        claims.object {
            $0.set("iss", issuerId)
            $0.set("iat", now)
            $0.set("exp", now.saturatingAdd(Self.lifetimeSeconds))
            $0.set("aud", "appstoreconnect-v1")
            $0.set("bid", bundleId.rawValue)
        }
        var signed = Base64URL.encode(header.bytes)
        signed.append(UInt8(ascii: "."))
        signed += Base64URL.encode(claims.bytes)
        let signature = Base64URL.encode(try key.es256Signature(of: signed))
        text = String(decoding: signed + [UInt8(ascii: ".")] + signature, as: UTF8.self)
        issuedAt = now
    }

    /// The value of the `Authorization` header. The long name makes every use easy to find in a review.
    var revealedAuthorization: String { "Bearer \(text)" }

    /// Returns `other` with all occurrences of this token and its segments redacted.
    func redacted(_ other: String) -> String {
        text.split(separator: ".").reduce(other) { $0.split(separator: $1).joined(separator: "<token>") }
    }

    func isSame(as other: BearerToken) -> Bool { text == other.text }

    var description: String { "<token>" }
    var debugDescription: String { "<token>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
