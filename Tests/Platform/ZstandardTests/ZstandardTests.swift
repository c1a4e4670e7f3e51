import TestSupport
import Testing
import Zstandard

@Suite struct ZstandardTests {
    private static let dictionary = Array(#"{"environment":"Production","status":"active","amount":"#.utf8)

    private static func frame(_ value: [UInt8], dictionary: [UInt8] = dictionary) throws -> [UInt8] {
        try value.withUnsafeBytes { try Compressor(dictionary: dictionary, level: -3).compress($0) { Array($0) } }
    }

    private static func value(_ frame: [UInt8], dictionary: [UInt8] = dictionary, upTo limit: Int = 1 << 20) throws
        -> [UInt8]
    {
        try frame.withUnsafeBytes { try Decompressor(dictionary: dictionary).decompress($0, upTo: limit) }
    }

    @Test(arguments: [[], [0x2A]]) func `any value is restored`(dictionary: [UInt8]) throws {
        var generator = SeededGenerator(seed: 11)
        for length in [0, 1, 7, 128, 4_096, 100_000] {
            let random = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            for value in [random, [UInt8](repeating: 65, count: length)] {
                let frame = try Self.frame(value, dictionary: dictionary)
                #expect(frame.withUnsafeBytes { Decompressor.isFrame($0) })
                #expect(try Self.value(frame, dictionary: dictionary) == value)
            }
        }
    }

    @Test func `a dictionary shortens a value that contains the dictionary's text`() throws {
        let value = Self.dictionary + Array("9990}".utf8)
        #expect(try Self.frame(value).count < 40)
        #expect(try Self.frame(value, dictionary: []).count > 50)
    }

    @Test func `a truncated, extended or changed frame is refused or differs`() throws {
        let value = Array(String(repeating: #"{"environment":"Production","amount":1}"#, count: 20).utf8)
        let frame = try Self.frame(value)
        for count in 0..<frame.count {
            #expect(throws: ZstandardError.damaged) { _ = try Self.value(Array(frame.prefix(count))) }
        }
        #expect(throws: ZstandardError.damaged) { _ = try Self.value(frame + [0]) }
        var generator = SeededGenerator(seed: 12)
        for _ in 0..<2_000 {
            var changed = frame
            changed[Int.random(in: changed.indices, using: &generator)] ^= UInt8.random(in: 1...255, using: &generator)
            // Changed frames must not trap. Most changes are detected.
            if let other = try? Self.value(changed) { #expect(other.count <= 1 << 20) }
        }
    }

    @Test func `a value larger than the limit is refused before memory is allocated`() throws {
        let frame = try Self.frame([UInt8](repeating: 65, count: 100_000))
        #expect(throws: ZstandardError.tooLarge) { _ = try Self.value(frame, upTo: 99_999) }
        #expect(try Self.value(frame, upTo: 100_000).count == 100_000)
        // The header claims the maximum size: magic number, descriptor for an 8-byte size in a single segment, size.
        let claim: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0xE0] + [UInt8](repeating: 0xFF, count: 8)
        #expect(throws: ZstandardError.self) { _ = try Self.value(claim) }
    }

    @Test func `bytes without the magic number are not a frame`() throws {
        for bytes: [UInt8] in [[], [0x28], [0x28, 0xB5, 0x2F], [0x7B, 0x22, 0x61, 0x22], [0xFD, 0x2F, 0xB5, 0x28]] {
            #expect(!bytes.withUnsafeBytes { Decompressor.isFrame($0) })
            #expect(throws: ZstandardError.damaged) { _ = try Self.value(bytes) }
        }
    }
}
