import Foundation
import Testing

/// Notifications that Apple signed, published test data that is not part of this repository: in `shared/vectors` beside
/// a folder above this file, or where `SLUICE_TEST_VECTORS` says.
enum Vectors {
    static let absence: Comment = "needs the App Store test vectors: set SLUICE_TEST_VECTORS"
    static var arePresent: Bool { folder != nil }

    /// What `genuine/cases.json` says of one notification.
    struct Case: Decodable, Sendable {
        let file: String
        let notificationUUID: String
        let notificationType: String
        let subtype: String?
        let signedDate: Int64
        let environment: String
        let bundleId: String
        let appAppleId: Int64
        let originalTransactionId: String
        let transactionId: String
        let productId: String
    }

    struct Genuine: Sendable {
        let facts: Case
        /// The compact JWS.
        let signedPayload: String

        var body: [UInt8] { Array(#"{"signedPayload":"\#(signedPayload)"}"#.utf8) }
        var key: String { "\(facts.bundleId)/\(facts.originalTransactionId)" }
    }

    /// In the order of their signed dates.
    static func genuine() throws -> [Genuine] {
        let folder = try #require(folder).appending(path: "genuine")
        let cases = try JSONDecoder().decode(
            [Case].self, from: Data(contentsOf: folder.appending(path: "cases.json")))
        return try cases.map { facts in
            let text = try String(contentsOf: folder.appending(path: facts.file), encoding: .utf8)
            return Genuine(facts: facts, signedPayload: text.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }

    private static let folder: URL? = {
        if let path = ProcessInfo.processInfo.environment["SLUICE_TEST_VECTORS"] {
            return existing(URL(filePath: path))
        }
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        while folder.path != "/" {
            if let found = existing(folder.appending(path: "shared/vectors")) { return found }
            folder.deleteLastPathComponent()
        }
        return nil
    }()

    private static func existing(_ folder: URL) -> URL? {
        FileManager.default.fileExists(atPath: folder.appending(path: "genuine/cases.json").path) ? folder : nil
    }
}
