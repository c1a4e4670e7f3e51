import AppStoreModel
import ArchiveKeys
import ArchiveLog
import Cryptography
import Lifecycle
import PipelineTestSupport
import TestSupport
import Testing

@testable import Archive

@Suite(.timeLimit(.minutes(1))) struct KeyWrappingTests {
    @Test func `after a change of the key-encryption keys every key is wrapped with the first one`() async throws {
        let directory = try TemporaryDirectory()
        let (old, new) = try (key(1), key(2))
        let before = try KeyStore(
            path: directory.file("keys.db"), keys: try KeyEncryptionKeys([old]), creation: .ifMissing)
        let requests = (0..<40).map { number in
            DataKeyRequest(
                subject: ArchiveSubject(.production, key: "com.example.app/\(number)"), eventTimeMilliseconds: 0)
        }
        _ = try before.dataKeys(for: requests)
        before.close()
        let keys = try KeyStore(
            path: directory.file("keys.db"), keys: try KeyEncryptionKeys([new, old]), creation: .never)
        let running = try await RunningServices { logger, _ in [TaskService.keyWrapping(keys, logger: logger)] }
        // The count includes the pseudonym key.
        try await waitUntil { try keys.wrappedKeys() == [new.id: 41] }
        await running.stop()
    }

    private func key(_ byte: UInt8) throws -> KeyEncryptionKey {
        try KeyEncryptionKey(SecretKey(copying: [UInt8](repeating: byte, count: 32)), source: "key \(byte)")
    }
}
