import Cryptography
import Testing

struct AES256GCMTests {
    /// A test case from the GCM specification (McGrew and Viega, appendix B), which NIST SP 800-38D cites.
    struct Case: Sendable, CustomTestStringConvertible {
        let number: Int
        let key, nonce, plaintext, authenticated, ciphertext, tag: String

        var testDescription: String { "test case \(number)" }
    }

    private static let key = String(repeating: "feffe9928665731c6d6a8f9467308308", count: 2)
    private static let plaintext =
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255"
    private static let ciphertext =
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad"

    static let cases = [
        Case(
            number: 13, key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
            plaintext: "", authenticated: "", ciphertext: "", tag: "530f8afbc74536b9a963b4f1c4cb738b"),
        Case(
            number: 14, key: String(repeating: "00", count: 32), nonce: String(repeating: "00", count: 12),
            plaintext: String(repeating: "00", count: 16), authenticated: "",
            ciphertext: "cea7403d4d606b6e074ec5d3baf39d18", tag: "d0d1c8a799996bf0265b98b5d48ab919"),
        Case(
            number: 15, key: key, nonce: "cafebabefacedbaddecaf888", plaintext: plaintext, authenticated: "",
            ciphertext: ciphertext, tag: "b094dac5d93471bdec1a502270e3cc6c"),
        Case(
            number: 16, key: key, nonce: "cafebabefacedbaddecaf888", plaintext: String(plaintext.dropLast(8)),
            authenticated: "feedfacedeadbeeffeedfacedeadbeefabaddad2", ciphertext: String(ciphertext.dropLast(8)),
            tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
    ]

    @Test(arguments: cases) func `sealing and opening match the known answers`(_ known: Case) throws {
        let key = SecretKey(copying: try bytes(known.key))
        let nonce = try bytes(known.nonce)
        let authenticated = try bytes(known.authenticated)
        let sealed = try AES256GCM.seal(
            try bytes(known.plaintext), key: key, nonce: nonce, authenticated: authenticated)
        #expect(HexText.encode(sealed) == known.ciphertext + known.tag)
        let opened = try AES256GCM.open(sealed, key: key, nonce: nonce, authenticated: authenticated)
        #expect(opened == (try bytes(known.plaintext)))
    }

    @Test func `a change of any bit of the key, nonce, authenticated data or ciphertext is refused`() throws {
        let parts = [
            try bytes(Self.key), try bytes("cafebabefacedbaddecaf888"), Array("leaf".utf8), Array("the record".utf8),
        ]
        let sealed = try AES256GCM.seal(
            parts[3], key: SecretKey(copying: parts[0]), nonce: parts[1], authenticated: parts[2])
        var good = [parts[0], parts[1], parts[2], sealed]
        let open = { (parts: [[UInt8]]) in
            try AES256GCM.open(
                parts[3], key: SecretKey(copying: parts[0]), nonce: parts[1], authenticated: parts[2])
        }
        #expect(try open(good) == parts[3])
        for part in good.indices {
            for bit in 0..<good[part].count * 8 {
                good[part][bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(try open(good) == nil, "part \(part) bit \(bit)")
                good[part][bit / 8] ^= 1 << UInt8(bit % 8)
            }
        }
        for count in sealed.indices {
            #expect(try open([good[0], good[1], good[2], Array(sealed.prefix(count))]) == nil)
        }
    }

    @Test func `keys, nonces and outputs of the wrong length are errors`() throws {
        let key = SecretKey(copying: [UInt8](repeating: 1, count: 32))
        for count in [0, 1, 16, 31, 33, 64] {
            let wrong = SecretKey(copying: [UInt8](repeating: 1, count: count))
            let error = try #require(throws: CryptographyError.self) {
                try AES256GCM.seal([1], key: wrong, nonce: [UInt8](repeating: 0, count: 12), authenticated: [])
            }
            #expect(error.code == .invalidArgument)
        }
        for count in [0, 1, 11, 13, 16, 4_096] {
            let nonce = [UInt8](repeating: 0, count: count)
            #expect(throws: CryptographyError.self) {
                try AES256GCM.seal([1], key: key, nonce: nonce, authenticated: [])
            }
            #expect(throws: CryptographyError.self) {
                try AES256GCM.open([UInt8](repeating: 0, count: 17), key: key, nonce: nonce, authenticated: [])
            }
        }
        let nonce = [UInt8](repeating: 0, count: 12)
        for count in [0, 1, 16, 18] {
            var out = [UInt8](repeating: 0, count: count)
            let error = #expect(throws: CryptographyError.self) {
                try [1].withUnsafeBytes { text in
                    try nonce.withUnsafeBytes { nonce in
                        try out.withUnsafeMutableBytes { out in
                            try AES256GCM.seal(
                                UnsafeRawBufferPointer(rebasing: text[..<1]), key: key, nonce: nonce,
                                authenticated: UnsafeRawBufferPointer(start: nil, count: 0), into: out)
                        }
                    }
                }
            }
            #expect(error?.code == .invalidArgument)
        }
    }

    @Test func `opening an inauthentic ciphertext leaves no plaintext in the output`() throws {
        let key = SecretKey(copying: [UInt8](repeating: 1, count: 32))
        let nonce = [UInt8](repeating: 2, count: 12)
        var sealed = try AES256GCM.seal(Array("the record".utf8), key: key, nonce: nonce, authenticated: [])
        sealed[sealed.count - 1] ^= 1
        var out = [UInt8](repeating: 7, count: 10)
        let isAuthentic = try sealed.withUnsafeBytes { sealed in
            try nonce.withUnsafeBytes { nonce in
                try out.withUnsafeMutableBytes { out in
                    try AES256GCM.open(
                        sealed, key: key, nonce: nonce, authenticated: UnsafeRawBufferPointer(start: nil, count: 0),
                        into: out)
                }
            }
        }
        #expect(!isAuthentic)
        #expect(out == [UInt8](repeating: 0, count: 10))
    }

    private func bytes(_ hexadecimal: String) throws -> [UInt8] { try #require(HexText.decode(hexadecimal)) }
}
