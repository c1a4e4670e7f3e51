import Cryptography
import TestSupport
import Testing

struct Ed25519Tests {
    // RFC 8032 section 7.1, tests 1 to 3.
    @Test(arguments: [
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0"
                + "595bbe24655141438e7a100b"
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eae"
                + "b4302aeeb00d291612bb0c00"
        ),
        (
            "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
            "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9"
                + "716ed28dc027beceea1ec40a"
        ),
    ]) func `signing and verifying match the known answers of RFC 8032`(
        seed: String, publicKey: String, message: String, signature: String
    ) throws {
        let key = try PrivateKey(ed25519Seed: SecretKey(copying: try bytes(seed)))
        let verifier = try #require(key.ed25519PublicKey)
        #expect(HexText.encode(verifier.rawBytes) == publicKey)
        let made = try key.ed25519Signature(of: try bytes(message))
        #expect(HexText.encode(made) == signature)
        #expect(verifier.verify(try bytes(message), signature: made) == .valid)
        #expect(Ed25519PublicKey(rawBytes: try bytes(publicKey)) == verifier)
    }

    @Test func `changed bits, wrong lengths and other keys are refused`() throws {
        let key = try PrivateKey.generate(.ed25519)
        let verifier = try #require(key.ed25519PublicKey)
        let message = Array("a checkpoint".utf8)
        var signature = try key.ed25519Signature(of: message)
        for bit in 0..<512 {
            signature[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(verifier.verify(message, signature: signature) == .invalid)
            signature[bit / 8] ^= 1 << UInt8(bit % 8)
        }
        for count in [0, 1, 63] {
            #expect(verifier.verify(message, signature: Array(signature.prefix(count))) == .invalid)
        }
        #expect(verifier.verify(message, signature: signature + [0]) == .invalid)
        #expect(verifier.verify(message + [0], signature: signature) == .invalid)
        let other = try #require(PrivateKey.generate(.ed25519).ed25519PublicKey)
        #expect(other.verify(message, signature: signature) == .invalid)
        #expect(verifier.verify(message, signature: signature) == .valid)
    }

    @Test func `a signature with an unreduced scalar is refused`() throws {
        // RFC 8032 section 5.1.7: S must be below L. Otherwise, every signature would have a second valid form.
        let key = try PrivateKey.generate(.ed25519)
        let verifier = try #require(key.ed25519PublicKey)
        var signature = try key.ed25519Signature(of: [])
        let order = try bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        var carry = 0
        for place in 0..<32 {
            let sum = Int(signature[32 + place]) + Int(order[place]) + carry
            signature[32 + place] = UInt8(truncatingIfNeeded: sum)
            carry = sum >> 8
        }
        #expect(verifier.verify([], signature: signature) == .invalid)
    }

    @Test func `a public key has 32 bytes, and a point off the curve verifies nothing`() throws {
        for count in [0, 1, 31, 33, 64] {
            #expect(Ed25519PublicKey(rawBytes: [UInt8](repeating: 1, count: count)) == nil)
        }
        let offCurve = try #require(Ed25519PublicKey(rawBytes: [UInt8](repeating: 0xFF, count: 32)))
        #expect(offCurve.verify([], signature: [UInt8](repeating: 0, count: 64)) == .invalid)
    }

    @Test func `a key survives encoding as PEM and writing to a file, and a key of another type is refused`() throws {
        let key = try PrivateKey.generate(.ed25519)
        let pem = try key.pem()
        #expect(try PrivateKey(ed25519PEM: pem).ed25519PublicKey == key.ed25519PublicKey)
        let directory = try TemporaryDirectory()
        let read = try PrivateKey(ed25519ContentsOf: directory.write(pem, to: "archive.pem"))
        #expect(read.ed25519PublicKey == key.ed25519PublicKey)
        let other = try PrivateKey.generate(.p256)
        let error = try #require(throws: CryptographyError.self) { try PrivateKey(ed25519PEM: try other.pem()) }
        #expect(error.code == .unsupportedKey)
        #expect(other.ed25519PublicKey == nil)
        #expect(throws: CryptographyError.self) { try other.ed25519Signature(of: []) }
        for count in [0, 31, 33] {
            let seed = SecretKey(copying: [UInt8](repeating: 1, count: count))
            #expect(throws: CryptographyError.self) { try PrivateKey(ed25519Seed: seed) }
        }
    }

    private func bytes(_ hexadecimal: String) throws -> [UInt8] { try #require(HexText.decode(hexadecimal)) }
}
