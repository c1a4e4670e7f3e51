import Foundation

/// A decoder for compact JWS, independent of the package's own code.
package enum CompactJWS {
    /// Returns the bytes of the payload, unverified.
    package static func payload(_ jws: String) throws -> [UInt8] {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let payload = decode(parts[1]) else { throw SupportError("no compact JWS: \(jws)") }
        return payload
    }

    package static func payload(_ jws: [UInt8]) throws -> [UInt8] { try payload(String(decoding: jws, as: UTF8.self)) }

    /// Returns the bytes of a segment; `nil` if it is not base64url.
    package static func decode(_ part: some StringProtocol) -> [UInt8]? {
        var standard = String(part).replacing("-", with: "+").replacing("_", with: "/")
        while standard.utf8.count % 4 != 0 { standard += "=" }
        return Data(base64Encoded: standard).map(Array.init)
    }
}
