import AppStoreModel
import AppStoreTestSupport
import Cryptography
import JSON
import Primitives
import TestSupport
import Testing

@testable import AppStoreVerification

/// Apple's published test data, and data derived from it, with the verdicts from its README.
///
/// Where a library accepts a notification that this verifier quarantines, "accept" means only "in the main topic".
@Suite(.enabled(if: TestVectors.arePresent, "\(TestVectors.absence)")) struct VectorTests {
    /// A time within the validity periods of both test authorities.
    private static let now: Int64 = 1_790_000_000_000

    private static func verifier(
        root: String = "certs/testCA.der", environment: AppStoreEnvironment = .sandbox,
        bundleId: String = "com.example",
        appAppleId: Int64 = 1234
    ) throws -> NotificationVerifier {
        try initializeCryptography()
        let app = AppIdentity(
            bundleId: BundleId(bundleId), appAppleId: AppAppleId(appAppleId), environments: [environment])
        // Apple's mock notifications have no version.
        return try NotificationVerifier(
            VerifierConfiguration(
                roots: [try TestVectors.bytes(root)], apps: [app], revocation: .off, requiresVersion: false))
    }

    // MARK: Certificate chains

    struct ChainCases: Decodable {
        struct Case: Decodable, Sendable, CustomTestStringConvertible {
            let id: String
            let x5c: [String]
            let trustedRoots: [String]
            let effectiveDate: Int64
            let expect: String
            var testDescription: String { id }
        }
        struct CertificateFile: Decodable { let file: String }
        let certificates: [String: CertificateFile]
        let cases: [Case]
    }

    static var chains: ChainCases? { try? TestVectors.decode("chain/cases.json") }

    @Test func `each certificate chain gets its expected verdict`() throws {
        try initializeCryptography()
        let chains = try #require(Self.chains)
        #expect(chains.cases.count == 16)
        for example in chains.cases where example.expect != "either" {
            #expect(try Self.isGood(example, chains) == (example.expect == "accept"), "\(example.id)")
        }
    }

    @Test func `a certificate chain with a garbage third entry verifies but has an unexpected shape`() throws {
        let chains = try #require(Self.chains)
        for example in chains.cases where example.expect == "either" {
            let header = try JWSHeader(Self.header(example, chains))
            let certificates = try CertificateChecks.certificates(CertificateChecks.encodings(header))
            let path = try ValidatedPath(certificates, in: Self.trust(example, chains), at: Self.now)
            #expect(path.hasUnexpectedShape)
        }
    }

    private static func isGood(_ example: ChainCases.Case, _ chains: ChainCases) throws -> Bool {
        do throws(Refusal) {
            let header = try JWSHeader((try? header(example, chains)) ?? [])
            let certificates = try CertificateChecks.certificates(CertificateChecks.encodings(header))
            guard let trust = try? trust(example, chains) else { return false }
            let path = try ValidatedPath(certificates, in: trust, at: now)
            try SignatureChecks.checkValidity(of: path, at: example.effectiveDate * 1000)
            return !path.hasUnexpectedShape
        } catch {
            return false
        }
    }

    private static func trust(_ example: ChainCases.Case, _ chains: ChainCases) throws -> TrustStore {
        try TrustStore(roots: example.trustedRoots.map { try Certificate(der: der($0, chains)) })
    }

    private static func header(_ example: ChainCases.Case, _ chains: ChainCases) throws -> [UInt8] {
        let texts = try example.x5c.map { name in
            name.hasPrefix("literal:")
                ? String(name.dropFirst("literal:".count))
                : String(decoding: Base64.encode(try der(name, chains)), as: UTF8.self)
        }
        return Array("{\"alg\":\"ES256\",\"x5c\":[\(texts.map { "\"\($0)\"" }.joined(separator: ","))]}".utf8)
    }

    private static func der(_ name: String, _ chains: ChainCases) throws -> [UInt8] {
        try TestVectors.bytes("chain/\(chains.certificates[name]?.file ?? name)")
    }

    // MARK: JWS

    struct JWSCases: Decodable {
        struct Settings: Decodable {
            let environment: String
            let bundleId: String
            let appAppleId: Int64
        }
        struct Case: Decodable {
            let id: String
            let kind: String
            let verifier: Settings
            let expect: String
            let jws: String
        }
        let cases: [Case]
    }

    @Test func `each JWS gets its expected verdict`() throws {
        let cases: JWSCases = try TestVectors.decode("jws/cases.json")
        #expect(cases.cases.count == 19)
        for example in cases.cases {
            let settings = example.verifier
            let verifier = try Self.verifier(
                environment: AppStoreEnvironment(settings.environment), bundleId: settings.bundleId,
                appAppleId: settings.appAppleId)
            let isAccepted: Bool
            switch example.kind {
            case "notification":
                let verdict = verifier.verify(body: SigningKit.body(example.jws), at: Self.now)
                isAccepted = ExpectedVerdict(verdict) == .accepted
            default: isAccepted = Self.isTransaction(example.jws, verifier, settings)
            }
            // The libraries do not distinguish kinds, but a transaction is not renewal info.
            let expected = example.id == "jws-transaction-as-renewal" ? "reject" : example.expect
            let isRefusedByKind = example.kind == "renewal"
            #expect((isAccepted && !isRefusedByKind) == (expected == "accept"), "\(example.id)")
        }
    }

    private static func isTransaction(
        _ jws: String, _ verifier: NotificationVerifier, _ settings: JWSCases.Settings
    ) -> Bool {
        guard let object = try? verifier.objects.verify(Array(jws.utf8)[...], at: now),
            let document = try? JSONDocument.object(object.payload)
        else { return false }
        let transaction = TransactionEnvelope(document)
        return !RenewalInfoEnvelope(document).isRenewalInfo
            && transaction.bundleId.value?.rawValue == settings.bundleId
            && transaction.environment.value?.rawValue == settings.environment
    }

    @Test(
        arguments: [
            ("mock_signed_data/testNotification", .accepted),
            ("mock_signed_data/transactionInfo", .notForUs(.typeConfusion)),
            ("mock_signed_data/missingX5CHeaderClaim", .badRequest(.certificateListForm)),
            ("mock_signed_data/legacyTransaction", .badRequest(.jwsForm)),
            ("xcode/xcode-signed-transaction", .badRequest(.certificateListForm)),
            ("xcode/xcode-signed-app-transaction", .badRequest(.certificateListForm)),
            ("xcode/xcode-app-receipt-with-transaction", .badRequest(.jwsForm)),
        ] as [(String, ExpectedVerdict)])
    func `signed files get their documented verdicts`(_ path: String, _ expected: ExpectedVerdict) throws {
        let verdict = try Self.verifier().verify(signedPayload: Array(try TestVectors.text(path).utf8), at: Self.now)
        #expect(ExpectedVerdict(verdict) == expected)
    }

    @Test func `the fields of the mock notification match its README`() throws {
        let jws = Array(try TestVectors.text("mock_signed_data/testNotification").utf8)
        guard case .accepted(let notification) = try Self.verifier().verify(signedPayload: jws, at: Self.now) else {
            Issue.record("not accepted")
            return
        }
        #expect(notification.envelope.notificationType.value == .test)
        #expect(notification.envelope.notificationUUID.value?.rawValue == "9ad56bd2-0bc6-42e0-af24-fd996d87a1e6")
        #expect(notification.envelope.appAppleId.value == AppAppleId(1234))
    }

    // MARK: Models

    @Test(
        arguments: [
            ("signedNotification.json", 41234, .nonconforming(.profileAudience)),
            ("signedConsumptionRequestNotification.json", 41234, .nonconforming(.profileAudience)),
            ("signedExternalPurchaseTokenNotification.json", 55555, .accepted),
            ("signedTransaction.json", 1, .notForUs(.typeConfusion)),
            ("signedRenewalInfo.json", 1, .notForUs(.typeConfusion)),
            ("appTransaction.json", 1, .notForUs(.typeConfusion)),
        ] as [(String, Int64, ExpectedVerdict)])
    func `signed model payloads are routed by their environment`(
        _ file: String, _ appAppleId: Int64, _ expected: ExpectedVerdict
    ) throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier {
            $0.apps = [AppIdentity(bundleId: BundleId("com.example"), appAppleId: AppAppleId(appAppleId))]
        }
        let jws = try kit.sign(try TestVectors.text("models/\(file)"))
        #expect(ExpectedVerdict(verifier.verify(body: SigningKit.body(jws), at: Self.now)) == expected)
    }

    @Test func `a model payload with placeholder words for nested objects is nonconforming`() throws {
        let kit = try SigningKit.shared()
        let verifier = try kit.verifier {
            $0.apps = [AppIdentity(bundleId: BundleId("com.example"), appAppleId: AppAppleId(41234))]
        }
        let text = try TestVectors.text("models/signedNotification.json").replacing("LocalTesting", with: "Production")
        let verdict = verifier.verify(body: SigningKit.body(try kit.sign(text)), at: Self.now)
        #expect(ExpectedVerdict(verdict) == .nonconforming(.profileNested))
    }
}
