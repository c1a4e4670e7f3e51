import AppStoreModel
import ArchiveKeys
import ArchiveLog
import Cryptography
import Foundation
import SQLite
import TestSupport
import Testing

/// A key store in a temporary directory, with queries for tests.
final class StoreOnDisk {
    let directory: TemporaryDirectory
    let secrets: [SecretKey]

    init(keyEncryptionKeys count: Int = 1) throws {
        directory = try TemporaryDirectory()
        secrets = try (0..<count).map { _ in try randomKey(byteCount: 32) }
    }

    var path: String { directory.file("keys.db") }

    /// - Parameter order: indices of the key-encryption keys. The first key wraps new keys.
    func open(_ order: [Int] = [0], creation: KeyStore.Creation = .ifMissing, cachedSubjects: Int = 1_000) throws
        -> KeyStore
    {
        try KeyStore(path: path, keys: try keys(order), creation: creation, cachedSubjects: cachedSubjects)
    }

    func keys(_ order: [Int]) throws -> KeyEncryptionKeys {
        try KeyEncryptionKeys(order.map { try KeyEncryptionKey(secrets[$0], source: "key \($0)") })
    }

    static func subject(_ number: Int) -> ArchiveSubject {
        ArchiveSubject(.production, BundleId("com.example.app"), OriginalTransactionId(String(number)))
    }

    static func request(_ number: Int, signedAt time: Int64 = 1_000) -> DataKeyRequest {
        DataKeyRequest(subject: subject(number), eventTimeMilliseconds: time)
    }

    static func record(
        _ action: ErasureRecord.Action, _ number: Int, in store: KeyStore, at time: Int64 = 5_000
    ) throws -> ErasureRecord {
        ErasureRecord(
            action: action, subject: try store.mark(of: subject(number)), marks: store.marksId, reason: "a reason",
            request: "DSR-\(number)", requestedAt: try #require(AppStoreInstant(millisecondsSince1970: time)))
    }

    /// Returns the id and the wrapped bytes of every key in use, from the file.
    func rows() throws -> [(id: ArchiveKeyId, wrapped: [UInt8])] {
        let database = try Database(path: path, access: .reader)
        defer { database.close() }
        return try database.rows("SELECT id, wrapped FROM data_keys ORDER BY number") { row in
            (try #require(ArchiveKeyId(bytes: try row.blob(0))), try row.blob(1))
        }
    }

    func run(_ sql: String, _ values: [SQLiteValue] = []) throws {
        let database = try Database(path: path, access: .sharedWriter)
        defer { database.close() }
        try database.run(sql, values)
    }

    /// Returns the bytes of the database, its write-ahead log and all other files in its directory.
    func allBytes() throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        return Dictionary(
            uniqueKeysWithValues: try names.map { ($0, try Data(contentsOf: URL(filePath: directory.file($0)))) })
    }
}

extension ArchiveProtection {
    /// Returns the key's id and bytes.
    var sealing: (id: ArchiveKeyId, bytes: [UInt8])? {
        guard case .encrypted(let key) = self else { return nil }
        return (key.id, key.secret.withUnsafeBytes { Array($0) })
    }

    var isErased: Bool {
        if case .erased = self { true } else { false }
    }
}

extension DataKeyState {
    var bytes: [UInt8]? {
        guard case .usable(let secret) = self else { return nil }
        return secret.withUnsafeBytes { Array($0) }
    }

    var isDestroyed: Bool {
        if case .destroyed = self { true } else { false }
    }
}
