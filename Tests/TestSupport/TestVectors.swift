import Foundation

/// Files of Apple's libraries and captured Apple samples. The published test data is not part of this repository. It is
/// in `SLUICE_TEST_VECTORS` (an empty value disables these tests), or in `shared/vectors` in any parent directory of
/// this file.
package enum TestVectors {
    /// The reason to skip tests that need the files.
    package static let absence = "needs the App Store test vectors: set SLUICE_TEST_VECTORS to their directory"

    package static var arePresent: Bool { directory != nil }

    package static func bytes(_ path: String) throws -> [UInt8] {
        guard let directory else { throw SupportError(absence) }
        return Array(try Data(contentsOf: URL(filePath: directory + "/" + path)))
    }

    /// Returns the text of a file without surrounding white space.
    package static func text(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    package static func decode<Value: Decodable>(_ path: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(try bytes(path)))
    }

    /// Returns the payload of the compact JWS in a file, unverified.
    package static func payload(ofJWS path: String) throws -> [UInt8] {
        try CompactJWS.payload(try text(path))
    }

    private static let directory: String? = {
        if let path = ProcessInfo.processInfo.environment["SLUICE_TEST_VECTORS"] {
            return path.isEmpty ? nil : path
        }
        return Checkout.beside("shared/vectors") {
            FileManager.default.fileExists(atPath: $0 + "/genuine/cases.json")
        }
    }()
}

/// A notification that Apple signed.
package struct AppleSample: Sendable {
    /// The sample's entry in `genuine/cases.json`.
    package struct Facts: Decodable, Sendable {
        package let file: String
        package let notificationUUID: String
        package let notificationType: String
        package let subtype: String?
        /// Milliseconds since 1970.
        package let signedDate: Int64
        package let environment: String
        package let bundleId: String
        package let appAppleId: Int64
        package let originalTransactionId: String
        package let transactionId: String
        package let productId: String
    }

    package let facts: Facts
    /// The compact JWS.
    package let signedPayload: String

    /// The body as Apple posts it.
    package var body: [UInt8] { Array(#"{"signedPayload":"\#(signedPayload)"}"#.utf8) }
}

extension TestVectors {
    /// Returns the samples in the order of their signed dates.
    package static func appleSamples() throws -> [AppleSample] {
        let facts: [AppleSample.Facts] = try decode("genuine/cases.json")
        return try facts.map { AppleSample(facts: $0, signedPayload: try text("genuine/\($0.file)")) }
    }
}
