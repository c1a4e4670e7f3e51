import Foundation

/// Published test data that is not part of this repository: `shared/vectors` beside a folder above this file, or the folder
/// that `SLUICE_TEST_VECTORS` names. Tests that need it are skipped without it.
enum Vectors {
    static let absent = "the App Store test vectors are not here: set SLUICE_TEST_VECTORS"

    static let folder: URL? = {
        if let path = ProcessInfo.processInfo.environment["SLUICE_TEST_VECTORS"] {
            return existing(URL(fileURLWithPath: path, isDirectory: true))
        }
        var folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        while folder.path != "/" {
            if let found = existing(folder.appendingPathComponent("shared/vectors", isDirectory: true)) { return found }
            folder = folder.deletingLastPathComponent()
        }
        return nil
    }()

    static var arePresent: Bool { folder != nil }

    static func bytes(_ path: String) throws -> [UInt8] {
        guard let folder else { throw CocoaError(.fileNoSuchFile) }
        return Array(try Data(contentsOf: folder.appendingPathComponent(path)))
    }

    static func text(_ path: String) throws -> String {
        String(decoding: try bytes(path), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    static func decode<Value: Decodable>(_ path: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(try bytes(path)))
    }

    private static func existing(_ folder: URL) -> URL? {
        FileManager.default.fileExists(atPath: folder.appendingPathComponent("genuine/cases.json").path) ? folder : nil
    }
}
