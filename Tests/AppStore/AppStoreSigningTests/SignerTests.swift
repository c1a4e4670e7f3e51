import AppStoreSigning
import AppStoreTestSupport
import Cryptography
import Foundation
import Primitives
import Testing

struct SignerTests {
    private let pki: TestCertificateAuthority
    private let key: P256PublicKey

    init() throws {
        pki = try TestCertificateAuthority(TestCertificateAuthority.Options(now: 1_790_000_000))
        key = try #require(P256PublicKey(certificate: pki.leaf))
    }

    @Test func `a signed payload decodes unchanged and verifies`() throws {
        let payload = Array("{\"a\":\"é\"}".utf8) + [0, 255]
        let jws = try JWSSigner(pki).sign(payload)
        let segments = jws.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        #expect(segments.count == 3)
        #expect(try Base64URL.decode(Array(segments[1])) == payload)
        #expect(verdict(on: jws) == .valid)
    }

    @Test func `the header has Apple's form, with ES256 and three certificates`() throws {
        let jws = try JWSSigner(pki).sign("{}")
        let segment = try #require(jws.split(separator: ".").first)
        let header = try JSONSerialization.jsonObject(with: Data(Base64URL.decode(Array(segment.utf8))))
        let members = try #require(header as? [String: Any])
        #expect(members.keys.sorted() == ["alg", "x5c"])
        #expect(members["alg"] as? String == "ES256")
        let chain = try #require(members["x5c"] as? [String]).map {
            try Certificate(der: Base64.decode(Array($0.utf8)))
        }
        #expect(chain == pki.chain)
    }

    @Test func `an edited header is signed unchanged`() throws {
        let header = JWSSigner.header(
            chain: [pki.leaf], algorithm: "\"none\"", extra: ",\"crit\":[\"b64\"]")
        let jws = try JWSSigner(header: header, key: pki.leafKey).sign(Array("{}".utf8))
        let segment = try #require(jws.split(separator: UInt8(ascii: ".")).first)
        #expect(try Base64URL.decode(Array(segment)) == Array(header.utf8))
        #expect(header.hasPrefix("{\"alg\":\"none\",\"x5c\":[\"MI"))
        #expect(header.hasSuffix("\"],\"crit\":[\"b64\"]}"))
        #expect(verdict(on: jws) == .valid)
        #expect(JWSSigner.header(x5c: ["a", "b"]) == "{\"alg\":\"ES256\",\"x5c\":[\"a\",\"b\"]}")
    }

    @Test func `a notification contains its nested payloads`() throws {
        let signed = try NotificationSigner(JWSSigner(pki)).sign(
            NotificationSigner.Payloads(
                notification: """
                    {"notificationType":"DID_RENEW","data":{"signedTransactionInfo":"{signedTransactionInfo}",\
                    "signedRenewalInfo":"{signedRenewalInfo}"},"appData":{"signedAppTransactionInfo":\
                    "{signedAppTransactionInfo}"}}
                    """,
                transactionInfo: "{\"t\":1}", renewalInfo: "{\"r\":2}", appTransactionInfo: "{\"a\":3}"))
        let body = try object(signed.body)
        #expect(body["signedPayload"] as? String == signed.signedPayload)
        #expect(verdict(on: Array(signed.signedPayload.utf8)) == .valid)
        let notification = try object(try payload(of: signed.signedPayload))
        let data = try #require(notification["data"] as? [String: String])
        let appData = try #require(notification["appData"] as? [String: String])
        let nested = [
            (data["signedTransactionInfo"], "{\"t\":1}"), (data["signedRenewalInfo"], "{\"r\":2}"),
            (appData["signedAppTransactionInfo"], "{\"a\":3}"),
        ]
        for (jws, expected) in nested {
            let jws = try #require(jws)
            #expect(try payload(of: jws) == Array(expected.utf8))
            #expect(verdict(on: Array(jws.utf8)) == .valid)
        }
    }

    @Test func `a body is about as large as Apple's`() throws {
        let nested = "{\"bundleId\":\"\(String(repeating: "x", count: 640))\"}"
        let signed = try NotificationSigner(JWSSigner(pki)).sign(
            NotificationSigner.Payloads(
                notification: "{\"t\":\"{signedTransactionInfo}\",\"r\":\"{signedRenewalInfo}\"}",
                transactionInfo: nested, renewalInfo: nested))
        #expect((17_500...20_500).contains(signed.body.count), "\(signed.body.count)")
    }

    @Test(
        arguments: [
            ("{}", "{}"), ("{\"a\":\"{signedTransactionInfo}\"}", nil),
            ("{\"a\":\"{signedTransactionInfo}\",\"b\":\"{signedTransactionInfo}\"}", "{}"),
        ] as [(String, String?)])
    func `placeholders and payloads must correspond one to one`(notification: String, transactionInfo: String?) throws {
        let payloads = NotificationSigner.Payloads(notification: notification, transactionInfo: transactionInfo)
        #expect(throws: NotificationSigner.PlaceholderError.self) {
            try NotificationSigner(JWSSigner(pki)).sign(payloads)
        }
    }

    @Test func `nested payloads may have another signer`() throws {
        let untrusted = try TestCertificateAuthority(TestCertificateAuthority.Options(now: 1_790_000_000))
        let signed = try NotificationSigner(JWSSigner(pki), nested: JWSSigner(untrusted)).sign(
            NotificationSigner.Payloads(notification: "{\"t\":\"{signedTransactionInfo}\"}", transactionInfo: "{}"))
        #expect(verdict(on: Array(signed.signedPayload.utf8)) == .valid)
        let nested = try #require(try object(try payload(of: signed.signedPayload))["t"] as? String)
        #expect(verdict(on: Array(nested.utf8)) == .invalid)
    }

    @Test func `a key that is not on P-256 cannot sign`() throws {
        let signer = JWSSigner(header: "{}", key: try PrivateKey.generate(.p384))
        let error = try #require(throws: AppStoreSigningError.self) { try signer.sign("{}") }
        #expect(error.code == .cryptography)
        #expect(error.cause?.code == .unsupportedKey)
    }

    private func verdict(on jws: [UInt8]) -> SignatureResult {
        guard let dot = jws.lastIndex(of: UInt8(ascii: ".")),
            let signature = try? Base64URL.decode(Array(jws[(dot + 1)...]))
        else { return .failed }
        return key.verify(digest: SHA256.digest(of: Array(jws[..<dot])), rawSignature: signature)
    }

    private func payload(of jws: String) throws -> [UInt8] {
        let segments = jws.split(separator: ".")
        try #require(segments.count == 3)
        return try Base64URL.decode(Array(segments[1].utf8))
    }

    private func object(_ bytes: [UInt8]) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
    }
}
