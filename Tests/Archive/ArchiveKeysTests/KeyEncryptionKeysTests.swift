import ArchiveKeys
import ArchiveLog
import Cryptography
import Primitives
import TestSupport
import Testing

struct KeyEncryptionKeysTests {
    private static let bytes = [UInt8](1...32)

    @Test func `a key has 32 bytes, raw, in hexadecimal or in base64`() throws {
        let directory = try TemporaryDirectory()
        let hexadecimal = HexText.encode(Self.bytes)
        let base64 = String(decoding: Base64.encode(Self.bytes), as: UTF8.self)
        let files = try [
            directory.write(Self.bytes, to: "raw"), directory.write(hexadecimal, to: "hexadecimal"),
            directory.write(" \(hexadecimal.uppercased())\r\n", to: "upper case"),
            directory.write("\(base64)\n", to: "base64"),
        ]
        let keys = try KeyEncryptionKeys(files: files)
        #expect(Set(keys.keys.map(\.id)).count == 1)
        #expect(keys.current.source == files[0])
        #expect(keys.current.id.utf8.count == 16)
        #expect(keys.current.id != String(hexadecimal.prefix(16)))
    }

    @Test(arguments: [0, 1, 16, 31, 33, 48, 63, 65, 66, 1_024, 5_000])
    func `the error for a file of another size contains its name`(count: Int) throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write([UInt8](repeating: 0x61, count: count), to: "kek")
        let error = try #require(throws: ArchiveError.self) { try KeyEncryptionKeys(files: [file]) }
        #expect(error.code == .unreadableEncryptionKey)
        #expect(error.message.contains(file))
        #expect(!error.message.contains("aaa"))
    }

    @Test func `an empty list, missing files and directories are rejected`() throws {
        let directory = try TemporaryDirectory()
        for files in [[], [directory.file("none")], [directory.path], ["a\0b"]] {
            let error = try #require(throws: ArchiveError.self) { try KeyEncryptionKeys(files: files) }
            #expect(error.code == .unreadableEncryptionKey)
        }
        let text = try directory.write(String(repeating: "zz", count: 32), to: "no hexadecimal")
        #expect(throws: ArchiveError.self) { try KeyEncryptionKeys(files: [text]) }
        #expect(throws: ArchiveError.self) { try KeyEncryptionKey(SecretKey(copying: [1]), source: "s") }
    }
}
