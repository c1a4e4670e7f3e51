import Foundation
import Testing

/// What Apple signed, taken apart without the package's own code.
enum CompactJWS {
    /// The bytes of the payload.
    static func payload(_ jws: String) throws -> [UInt8] {
        let parts = jws.split(separator: ".", omittingEmptySubsequences: false)
        try #require(parts.count == 3)
        return try #require(Base64URL.decode(ArraySlice(parts[1].utf8)))
    }
}

enum Base64URL {
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var standard = String(decoding: text, as: UTF8.self)
            .replacing("-", with: "+").replacing("_", with: "/")
        while standard.utf8.count % 4 != 0 { standard += "=" }
        return Data(base64Encoded: standard).map(Array.init)
    }
}
