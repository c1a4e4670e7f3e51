import Foundation

/// Genuine notifications. They are not part of the repository: `SLUICE_TEST_VECTORS` names their directory, else a
/// directory `shared/vectors` beside the checkout is used.
enum TestVectors {
    static let absence = "the test vectors are absent: set SLUICE_TEST_VECTORS to their directory"

    static let directory: URL? = {
        if let path = ProcessInfo.processInfo.environment["SLUICE_TEST_VECTORS"] {
            return URL(filePath: path, directoryHint: .isDirectory)
        }
        var folder = URL(filePath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        while folder.path != "/" {
            let candidate = folder.appending(path: "shared/vectors", directoryHint: .isDirectory)
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    static var areHere: Bool { directory != nil }

    static func bytes(_ path: String) throws -> [UInt8] {
        guard let directory else { throw CocoaError(.fileNoSuchFile) }
        return Array(try Data(contentsOf: directory.appending(path: path)))
    }

    /// The payload of a compact JWS, unverified.
    static func payload(ofJWS text: [UInt8]) throws -> [UInt8] {
        let segments = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard segments.count == 3 else { throw CocoaError(.coderInvalidValue) }
        var base64 = String(decoding: segments[1], as: UTF8.self)
            .replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        while base64.utf8.count % 4 != 0 { base64 += "=" }
        guard let data = Data(base64Encoded: base64) else { throw CocoaError(.coderInvalidValue) }
        return Array(data)
    }
}
