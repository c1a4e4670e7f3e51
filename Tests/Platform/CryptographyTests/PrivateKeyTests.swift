import Cryptography
import Foundation
import Primitives
import TestSupport
import Testing

struct PrivateKeyTests {
    // Variants of stored keys, because editors and secret stores add and remove line ends.
    @Test(arguments: ["\n\n", "\r\n", " \t\n", "\u{FEFF}", "\u{FEFF}\r\n"], [false, true])
    func `a key is read with leading blanks, with either line ending, and without the last line ending`(
        _ front: String, _ isWindows: Bool
    ) throws {
        let key = try PrivateKey.generate(.p256)
        var text = String(decoding: try key.pem(), as: UTF8.self)
        if isWindows { text = text.replacing("\n", with: "\r\n") }
        for form in [front + text, front + text.trimmingCharacters(in: .newlines)] {
            let read = try PrivateKey(pem: Array(form.utf8))
            #expect(try read.pem() == key.pem())
        }
    }

    @Test(arguments: [
        ("-----BEGIN ENCRYPTED PRIVATE KEY-----\n", "encrypted"),
        ("-----BEGIN EC PRIVATE KEY-----\n", "traditional format"),
        ("-----BEGIN EC PARAMETERS-----\n", "traditional format"),
        ("-----BEGIN CERTIFICATE-----\n", "a certificate"), ("-----BEGIN PUBLIC KEY-----\n", "a public key"),
        ("0\u{1}", "DER"), ("hello", "not PEM"), ("", "not PEM"),
    ])
    func `the error for a file without a private key names its content`(_ text: String, _ found: String) {
        let error = #expect(throws: CryptographyError.self) { try PrivateKey(pem: Array(text.utf8)) }
        #expect(error?.message.contains(found) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        (PrivateKey.Kind.p384, "EC on P-384"), (.secp256k1, "secp256k1"), (.rsa(bits: 2048), "RSA"),
        (.ed25519, "ED25519"),
    ])
    func `the error for an unsupported key names its type`(_ kind: PrivateKey.Kind, _ name: String) throws {
        let pem = try PrivateKey.generate(kind).pem()
        let error = #expect(throws: CryptographyError.self) { try PrivateKey(pem: pem) }
        #expect(error?.code == .unsupportedKey)
        #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
        #expect(error?.message.hasSuffix("not an EC key on P-256") == true)
    }

    @Test func `a key survives encoding as PEM and writing to a file`() throws {
        let key = try PrivateKey.generate(.p256)
        let pem = try key.pem()
        #expect(pem.starts(with: "-----BEGIN PRIVATE KEY-----\n".utf8))
        let again = try PrivateKey(pem: pem)
        #expect(again.publicKey?.uncompressedPoint == key.publicKey?.uncompressedPoint)
        let directory = try TemporaryDirectory()
        let read = try PrivateKey(contentsOf: directory.write(pem, to: "key.p8"))
        let digest = SHA256.digest(of: [1, 2, 3])
        let signature = try read.es256Signature(digest: digest)
        #expect(key.publicKey?.verify(digest: digest, rawSignature: signature) == .valid)
    }

    @Test func `a missing or unreadable key file is an error`() throws {
        #expect(throws: CryptographyError.self) { try PrivateKey(contentsOf: "/nonexistent/key.p8") }
        let error = try #require(throws: CryptographyError.self) { try PrivateKey(contentsOf: "/dev/zero") }
        #expect(error.code == .unreadableFile)
        let directory = try #require(throws: CryptographyError.self) { try PrivateKey(contentsOf: "/") }
        #expect(directory.code == .unreadableFile)
    }

    @Test(arguments: [.p384, .secp256k1, .rsa(bits: 1024), .ed25519, .p256WithExplicitParameters] as [PrivateKey.Kind])
    func `a key of another type is not loaded and does not sign ES256`(kind: PrivateKey.Kind) throws {
        let key = try PrivateKey.generate(kind)
        let pem = try key.pem()
        let error = try #require(throws: CryptographyError.self) { try PrivateKey(pem: pem) }
        #expect(error.code == .unsupportedKey)
        // A key with explicit parameters is on P-256; only its encoding differs.
        guard kind != .p256WithExplicitParameters else { return }
        #expect(throws: CryptographyError.self) { try key.es256Signature(of: [1]) }
        #expect(key.publicKey == nil)
    }

    @Test func `truncated, empty and unrelated texts are refused`() throws {
        let pem = try PrivateKey.generate(.p256).pem()
        for count in [0, 1, 27, 28, 60, pem.count / 2, pem.count - 20] {
            let error = try #require(throws: CryptographyError.self) { try PrivateKey(pem: Array(pem.prefix(count))) }
            #expect(error.code == .malformedKey)
        }
        #expect(throws: CryptographyError.self) { try PrivateKey(pem: Array("-----BEGIN PRIVATE KEY-----".utf8)) }
        #expect(throws: CryptographyError.self) { try PrivateKey(pem: Array("not a key".utf8)) }
    }

    @Test func `an encrypted key is refused without asking for a password`() throws {
        // Created by openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -aes256 with the password "secret".
        let header =
            "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIHsMFcGCSqGSIb3DQEFDTBK\n-----END ENCRYPTED PRIVATE KEY-----\n"
        #expect(throws: CryptographyError.self) { try PrivateKey(pem: Array(header.utf8)) }
        let legacy = """
            -----BEGIN PRIVATE KEY-----
            Proc-Type: 4,ENCRYPTED
            DEK-Info: AES-256-CBC,00112233445566778899AABBCCDDEEFF

            AAAAAAAAAAAAAAAAAAAAAA==
            -----END PRIVATE KEY-----

            """
        #expect(throws: CryptographyError.self) { try PrivateKey(pem: Array(legacy.utf8)) }
    }

    @Test func `a public key that does not match the private key is refused`() throws {
        let first = try pkcs8(PrivateKey.generate(.p256))
        let second = try pkcs8(PrivateKey.generate(.p256))
        // The PKCS#8 encoding of a P-256 key ends with the 65 bytes of its point.
        #expect(throws: CryptographyError.self) { try PrivateKey(pem: pem(first.dropLast(65) + second.suffix(65))) }
        #expect(throws: Never.self) { try PrivateKey(pem: pem(first)) }
    }

    @Test func `a key is never printed`() throws {
        let key = try PrivateKey.generate(.p256)
        #expect("\(key)" == "PrivateKey(p256)")
    }

    @Test func `extreme RSA sizes are refused`() {
        #expect(throws: CryptographyError.self) { try PrivateKey.generate(.rsa(bits: 1)) }
        #expect(throws: CryptographyError.self) { try PrivateKey.generate(.rsa(bits: .max)) }
    }

    @Test(.enabled(if: TestVectors.arePresent, "\(TestVectors.absence)"))
    func `Apple's published test key loads`() throws {
        let key = try PrivateKey(pem: try TestVectors.bytes("certs/testSigningKey.p8"))
        #expect(key.publicKey != nil)
    }

    private func pkcs8(_ key: PrivateKey) throws -> [UInt8] {
        let text = String(decoding: try key.pem(), as: UTF8.self)
        let lines = text.split(separator: "\n").dropFirst().dropLast()
        return try Base64.decode(Array(lines.joined().utf8))
    }

    private func pem(_ der: some Collection<UInt8>) -> [UInt8] {
        Array("-----BEGIN PRIVATE KEY-----\n".utf8) + Base64.encode(Array(der)) + "\n-----END PRIVATE KEY-----\n".utf8
    }
}
