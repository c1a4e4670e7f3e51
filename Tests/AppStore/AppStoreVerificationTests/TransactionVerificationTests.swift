import AppStoreModel
import AppStoreSigning
import AppStoreTestSupport
import AppStoreVerification
import JSON
import Testing

/// StoreKit objects uploaded by an app or its backend. They are verified like notifications.
@Suite struct TransactionVerificationTests {
    private let kit: SigningKit
    private let verifier: NotificationVerifier

    init() throws {
        kit = try SigningKit.shared()
        verifier = try kit.verifier()
    }

    private static let transaction: JSONObject = [
        "transactionId": "2000", "originalTransactionId": "1000", "bundleId": .string(SigningKit.bundleId),
        "environment": "Production", "productId": "monthly", "signedDate": .integer(SigningKit.now - 1000),
    ]
    private static let renewalInfo: JSONObject = [
        "originalTransactionId": "1000", "environment": "Production", "autoRenewStatus": 1,
        "signedDate": .integer(SigningKit.now - 1000),
    ]

    private func signed(_ object: JSONObject, by kit: SigningKit? = nil) throws -> [UInt8] {
        Array(try (kit ?? self.kit).signBytes(JSONValue.object(object).json).utf8)
    }

    private static func with(_ object: JSONObject, _ name: String, _ value: JSONValue?) -> JSONObject {
        var copy = object
        copy[name] = value
        return copy
    }

    private func reason(
        _ transaction: [UInt8], _ renewalInfo: [UInt8]? = nil, _ verifier: NotificationVerifier? = nil
    ) -> Reason? {
        do throws(Refusal) {
            _ = try (verifier ?? self.verifier).verify(
                signedTransaction: transaction, signedRenewalInfo: renewalInfo, at: SigningKit.now)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `a transaction and its renewal info are returned as signed`() throws {
        let verified = try verifier.verify(
            signedTransaction: signed(Self.transaction), signedRenewalInfo: signed(Self.renewalInfo),
            at: SigningKit.now)
        #expect(verified.environment == .production)
        #expect(verified.bundleId == BundleId(SigningKit.bundleId))
        #expect(verified.transaction == JSONValue.object(Self.transaction).json)
        #expect(verified.renewalInfo == JSONValue.object(Self.renewalInfo).json)
        #expect(try verifier.verify(signedTransaction: signed(Self.transaction), at: SigningKit.now).renewalInfo == nil)
    }

    @Test(
        arguments: [
            ("bundleId", "com.example.other", .audience), ("bundleId", nil, .audience), ("bundleId", 1, .audience),
            ("environment", "Xcode", .audience), ("environment", "LocalTesting", .audience),
            ("environment", nil, .audience),
            ("transactionId", nil, .typeConfusion), ("originalTransactionId", nil, .typeConfusion),
            ("originalTransactionId", "../1", .profileText), ("transactionId", "x", .profileText),
            ("signedDate", nil, .profileDate), ("signedDate", 0, .profileDate),
            ("signedDate", .integer(SigningKit.now + 25 * 3_600_000), .clock),
        ] as [(String, JSONValue?, Reason)])
    func `a transaction for another app or with an undocumented value is rejected`(
        name: String, value: JSONValue?, expected: Reason
    ) throws {
        #expect(reason(try signed(Self.with(Self.transaction, name, value))) == expected)
    }

    @Test func `a sandbox transaction is accepted for an app configured without the sandbox`()
        throws
    {
        let sandbox = try signed(Self.with(Self.transaction, "environment", "Sandbox"))
        #expect(
            try verifier.verify(signedTransaction: sandbox, at: SigningKit.now).environment == .sandbox)
    }

    @Test(
        arguments: [
            ("originalTransactionId", "1001", .profileNested), ("environment", "Sandbox", .profileNested),
            ("autoRenewStatus", nil, .profileNested), ("signedDate", nil, .profileDate),
        ] as [(String, JSONValue?, Reason)])
    func `renewal info of another purchase or environment is rejected`(
        name: String, value: JSONValue?, expected: Reason
    ) throws {
        let renewalInfo = try signed(Self.with(Self.renewalInfo, name, value))
        #expect(reason(try signed(Self.transaction), renewalInfo) == expected)
    }

    @Test func `objects that are unsigned or signed by another authority are rejected`() throws {
        let imposter = try SigningKit.imposter()
        #expect(reason(try signed(Self.transaction, by: imposter)) != nil)
        #expect(reason(try signed(Self.transaction), try signed(Self.renewalInfo, by: imposter)) != nil)
        var forged = try signed(Self.transaction)
        let last = forged.count - 10
        forged[last] = forged[last] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        #expect(reason(forged) == .signature)
        #expect(reason([]) == .jwsForm)
        #expect(reason(Array("a.b.c".utf8)) != nil)
    }

    /// Renewal info, app transactions and notifications are signed with the same key.
    @Test func `other types of signed objects are not transactions`() throws {
        #expect(reason(try signed(Self.renewalInfo)) == .typeConfusion)
        #expect(reason(Array(try kit.jws().utf8)) == .typeConfusion)
        #expect(reason(try signed(Self.transaction), try signed(Self.transaction)) == .profileNested)
    }

    @Test func `under strict revocation, an unknown status requests a retry`() throws {
        var options = SigningKit.options
        options.leafOCSPAddress = "http://ocsp.example.com/leaf"
        options.intermediateOCSPAddress = "http://ocsp.example.com/intermediate"
        let kit = SigningKit(pki: try TestCertificateAuthority(options))
        let strict = try NotificationVerifier(
            kit.configuration { $0.revocation = .strict }, requester: Unreachable())
        let transaction = try signed(Self.transaction, by: kit)
        #expect(reason(transaction, nil, strict) == .revocationUnknown)
        #expect(Reason.revocationUnknown.status == 503)
    }

    private struct Unreachable: OCSPRequester {
        func answer(to request: [UInt8], address: String, timeout: Duration) async throws -> [UInt8] {
            throw CancellationError()
        }
    }
}
