import Cryptography
import Dispatch
import Synchronization
import Testing

struct ECDSATests {
    private static let order = HexText.decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551") ?? []
    private static let message = Array("header.payload".utf8)

    private let key: PrivateKey
    private let publicKey: P256PublicKey
    private let signature: [UInt8]
    private let digest = SHA256.digest(of: message)

    init() throws {
        key = try PrivateKey.generate(.p256)
        publicKey = try #require(key.publicKey)
        signature = try key.es256Signature(of: Self.message)
    }

    @Test func `a signature verifies with the public key of its signer`() {
        #expect(signature.count == 64)
        #expect(publicKey.verify(digest: digest, rawSignature: signature) == .valid)
    }

    @Test func `a verification does not depend on earlier ones`() throws {
        var wrong = signature
        wrong[63] ^= 1
        for _ in 0..<20 {
            #expect(publicKey.verify(digest: digest, rawSignature: wrong) == .invalid)
            #expect(publicKey.verify(digest: digest, rawSignature: []) == .invalid)
            #expect(publicKey.verify(digest: digest, rawSignature: signature) == .valid)
        }
    }

    @Test func `a key can be used from many threads at once`() {
        let (key, digest, signature) = (publicKey, digest, signature)
        let errors = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 40) { number in
            for round in 0..<5 {
                var other = signature
                if (number + round).isMultiple(of: 2) { other[number] ^= 1 }
                let expected: SignatureResult = other == signature ? .valid : .invalid
                if key.verify(digest: digest, rawSignature: other) != expected { errors.withLock { $0 += 1 } }
            }
        }
        #expect(errors.withLock { $0 } == 0)
    }

    @Test func `two hundred signatures of every DER length verify`() throws {
        for round in 0..<200 {
            let digest = SHA256.digest(of: [UInt8(round)])
            #expect(publicKey.verify(digest: digest, rawSignature: try key.es256Signature(digest: digest)) == .valid)
        }
    }

    @Test func `the known signature of RFC 6979 verifies`() throws {
        // Section A.2.5: P-256, SHA-256, message "sample".
        let point = try #require(
            HexText.decode(
                "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
                    + "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"))
        let signature = try #require(
            HexText.decode(
                "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716"
                    + "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"))
        let key = try #require(P256PublicKey(uncompressedPoint: point))
        #expect(key.verify(digest: SHA256.digest(of: Array("sample".utf8)), rawSignature: signature) == .valid)
        #expect(key.verify(digest: SHA256.digest(of: Array("test".utf8)), rawSignature: signature) == .invalid)
        #expect(key.uncompressedPoint == point)
    }

    @Test func `a signature over another digest or by another key is refused`() throws {
        let other = SHA256.digest(of: Array("header.Payload".utf8))
        #expect(publicKey.verify(digest: other, rawSignature: signature) == .invalid)
        let untrusted = try #require(try PrivateKey.generate(.p256).publicKey)
        #expect(untrusted.verify(digest: digest, rawSignature: signature) == .invalid)
    }

    @Test func `the complementary signature with n - s is accepted`() {
        var twin = Array(signature[..<32]) + Self.order
        var borrow = 0
        for index in stride(from: 63, through: 32, by: -1) {
            let difference = Int(twin[index]) - Int(signature[index]) - borrow
            borrow = difference < 0 ? 1 : 0
            twin[index] = UInt8(truncatingIfNeeded: difference)
        }
        #expect(twin != signature)
        #expect(publicKey.verify(digest: digest, rawSignature: twin) == .valid)
    }

    @Test(arguments: ["zero", "n", "n - 1", "n + 1", "all ones"], [0, 32])
    func `r or s at the edge of its range is refused`(edge: String, place: Int) {
        var number: [UInt8]
        switch edge {
        case "zero": number = [UInt8](repeating: 0, count: 32)
        case "all ones": number = [UInt8](repeating: 0xFF, count: 32)
        default: number = Self.order
        }
        if edge == "n - 1" { number[31] -= 1 }
        if edge == "n + 1" { number[31] += 1 }
        var hostile = signature
        hostile.replaceSubrange(place..<place + 32, with: number)
        #expect(publicKey.verify(digest: digest, rawSignature: hostile) == .invalid)
    }

    @Test func `each of the 512 single-bit changes is refused`() {
        for bit in 0..<512 {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(publicKey.verify(digest: digest, rawSignature: changed) == .invalid, "bit \(bit)")
        }
    }

    @Test func `a signature in another encoding is refused`() {
        let integers = [Array(signature[..<32]), Array(signature[32...])].map { number -> [UInt8] in
            let trimmed = Array(number.drop { $0 == 0 })
            return DER.value(0x02, (trimmed.first ?? 0) & 0x80 == 0 ? trimmed : [0] + trimmed)
        }
        let encoded = DER.sequence(integers[0], integers[1])
        for hostile in [encoded, [], Array(signature.dropLast()), signature + [0], signature + signature] {
            #expect(publicKey.verify(digest: digest, rawSignature: hostile) == .invalid)
        }
    }

    @Test func `a point that is not on the curve is not a key`() throws {
        var point = publicKey.uncompressedPoint
        #expect(point.count == 65)
        #expect(P256PublicKey(uncompressedPoint: point) != nil)
        point[64] ^= 1
        #expect(P256PublicKey(uncompressedPoint: point) == nil)
        #expect(P256PublicKey(uncompressedPoint: [0]) == nil)
        #expect(P256PublicKey(uncompressedPoint: [0] + [UInt8](repeating: 0, count: 64)) == nil)
        #expect(P256PublicKey(uncompressedPoint: []) == nil)
        // The compressed form of the key's point.
        #expect(P256PublicKey(uncompressedPoint: [2] + publicKey.uncompressedPoint[1..<33]) == nil)
    }
}
