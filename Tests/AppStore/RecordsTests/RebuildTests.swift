import AppStoreModel
import JSON
import KafkaModel
import Primitives
import Records
import TestSupport
import Testing

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// A signed notification and its record. The signatures are placeholders, because records do not verify them.
private struct Signed {
    var payload: String
    var transaction: String?
    var renewalInfo: String?
    var header = "eyJhbGciOiJFUzI1NiJ9"
    static let signature = String(repeating: "A", count: 85) + "Q"

    static func jws(_ payload: String, header: String = "eyJhbGciOiJFUzI1NiJ9", signature: String = Self.signature)
        -> String
    {
        "\(header).\(String(decoding: Base64URL.encode(bytes(payload)), as: UTF8.self)).\(signature)"
    }

    var signedPayload: String { Self.jws(payload, header: header) }

    func parts(signedPayload: String? = nil) throws -> SignedParts? {
        SignedParts(
            signedPayload: bytes(signedPayload ?? self.signedPayload)[...], notification: bytes(payload),
            envelope: NotificationEnvelope(try JSONDocument.object(bytes(payload))),
            transaction: transaction.map { bytes($0) }, renewalInfo: renewalInfo.map { bytes($0) },
            appTransaction: nil)
    }

    /// Returns the record's value, with each header segment under a separate reference.
    func value() throws -> (value: [UInt8], headers: [HeaderReference: [UInt8]]) {
        let parts = try #require(try parts())
        var headers: [HeaderReference: [UInt8]] = [:]
        let references = parts.headers.map { segment in
            let reference = Self.reference(String(decoding: segment, as: UTF8.self))
            headers[reference] = Array(segment)
            return reference
        }
        let envelope = NotificationEnvelope(try JSONDocument.object(bytes(payload)))
        let content = RecordContent(
            notification: bytes(payload), nestedJWSTexts: envelope.nestedJWSTexts,
            transaction: transaction.map { bytes($0) }, renewalInfo: renewalInfo.map { bytes($0) },
            evidence: .proof(try #require(parts.proof(references))))
        return (content.value, headers)
    }

    static func reference(_ header: String) -> HeaderReference {
        let digits = String(header.utf8.reduce(UInt64(7)) { $0 &* 31 &+ UInt64($1) }, radix: 16)
        return HeaderReference(rawValue: String(repeating: "0", count: 64 - digits.count) + digits)
    }
}

@Suite("Rebuilding the compact JWS of a record") struct RebuildTests {
    private static let transaction = #"{"transactionId":"7", "originalTransactionId":"5"}"#
    private static let renewalInfo = #"{"originalTransactionId":"5"}"#

    private static func whole(_ transaction: String = Signed.jws(transaction)) -> Signed {
        Signed(
            payload:
                #"{ "data" : {"signedRenewalInfo" : "\#(Signed.jws(renewalInfo, header: "b3RoZXI"))","x":"\/\u00e9","#
                + #""signed\u0054ransactionInfo":"\#(transaction)"} , "tomorrow":{"signedTransactionInfo":""} }"#,
            transaction: Self.transaction, renewalInfo: Self.renewalInfo)
    }

    @Test func `nested texts are restored in place, byte for byte`() throws {
        let signed = Self.whole()
        let (value, headers) = try signed.value()
        #expect(headers.count == 2)
        let record = try NotificationRecord(key: nil, value: value, headers: [])
        #expect(try record.rebuild { headers[$0] } == bytes(signed.signedPayload))
    }

    @Test func `the error for an unknown header segment names it`() throws {
        let (value, headers) = try Self.whole().value()
        let record = try NotificationRecord(key: nil, value: value, headers: [])
        for missing in headers.keys {
            #expect(throws: RebuildError.unknownHeader(missing)) {
                try record.rebuild { $0 == missing ? nil : headers[$0] }
            }
        }
    }

    @Test func `a record that contains the JWS returns it unchanged`() throws {
        let value = bytes(#"{"notification":{},"signedPayload":"a.b.c"}"#)
        let record = try NotificationRecord(key: nil, value: value, headers: [])
        #expect(try record.rebuild { _ in nil } == bytes("a.b.c"))
    }

    @Test func `unsigned data cannot be rebuilt`() throws {
        let record = try NotificationRecord(key: nil, value: bytes(#"{"notification":{},"legacy":{}}"#), headers: [])
        #expect(throws: RebuildError.unsigned) { try record.rebuild { _ in [] } }
    }

    @Test(arguments: [
        (#""transaction":{"transactionId""#, #""other":{"transactionId""#),
        (#""signedRenewalInfo" : """#, #""signedRenewalInfo" : "x""#),
        (#""signedRenewalInfo" : """#, #""signedRenewalInfo" : null"#),
        (#""signedRenewalInfo" : """#, #""another" : """#), (#","renewalInfo":{"header""#, #","unknown":{"header""#),
        (#""proof":{"notification""#, #""proof":{"nothing""#), (#""proof":{"#, #""proof":[],"x":{"#),
        (#""header":"0"#, #""header":"G"#), (#"AQ"}"#, #"A"}"#), (#"AQ"}"#, #"A\u0051"}"#),
    ])
    func `a proof that does not match the payloads is rejected`(from: String, to: String) throws {
        let (value, headers) = try Self.whole().value()
        let text = String(decoding: value, as: UTF8.self)
        let changed = text.replacing(from, with: to)
        try #require(changed != text)
        let record = try NotificationRecord(key: nil, value: bytes(changed), headers: [])
        #expect(throws: RebuildError.malformedProof) { try record.rebuild { headers[$0] } }
    }

    @Test(arguments: [
        "h.e30.\(Signed.signature)=", "h.e30=.\(Signed.signature)", "h.e31.\(Signed.signature)",
        "h.fX0.\(Signed.signature)", "h.e30.\(Signed.signature.dropLast())", ".e30.\(Signed.signature)",
        "h-e30.\(Signed.signature)", "h.e30-\(Signed.signature)", "h.e30", "", "...",
    ])
    func `another encoding of the same payload is not split into parts`(jws: String) throws {
        let signed = Signed(payload: "{}")
        #expect(try signed.parts(signedPayload: "h.e30.\(Signed.signature)") != nil)
        #expect(try signed.parts(signedPayload: jws) == nil)
    }

    @Test func `a nested text in another encoding, or without its payload, is not split into parts`() throws {
        #expect(try Self.whole().parts() != nil)
        for jws in [Signed.jws(Self.transaction) + "=", "", Signed.jws("{}"), "a.b.c"] {
            #expect(try Self.whole(jws).parts() == nil)
        }
        var signed = Signed(payload: "{} ")
        #expect(try signed.parts() == nil)
        signed = Self.whole()
        signed.transaction = nil
        #expect(try signed.parts() == nil)
        signed = Signed(payload: "{}", transaction: Self.transaction)
        #expect(try signed.parts() == nil)
    }

    @Test func `a proof requires one reference for each part`() throws {
        let parts = try #require(try Self.whole().parts())
        let reference = Signed.reference("h")
        #expect(parts.headers.count == 3)
        #expect(parts.proof([reference, reference]) == nil)
        #expect(parts.proof([reference, reference, reference])?.renewalInfo?.header == reference)
    }

    @Test func `a record in the certificates topic contains its segment, and its key is the reference`() throws {
        let header = CertificateHeader(reference: Signed.reference("h"), segment: bytes("eyJ9"))
        let produced = header.produced(to: "appstore.certificates")
        func read(_ key: [UInt8]?, _ value: [UInt8]?) -> CertificateHeader? {
            CertificateHeader(
                KafkaRecord(topic: "appstore.certificates", partition: 0, offset: 0, key: key, value: value))
        }
        #expect(read(produced.key, produced.value) == header)
        for key in [nil, bytes(""), bytes("x"), produced.key.map { $0.dropLast() + bytes("A") }] {
            #expect(read(key, produced.value) == nil)
        }
        #expect(read(produced.key, nil) == nil)
    }
}

@Suite("Records of Apple's notifications", .enabled(if: TestVectors.arePresent, "\(TestVectors.absence)"))
struct AppleSampleRecordTests {
    @Test func `each sample is rebuilt from a record of an eighth of its size`() throws {
        for sample in try TestVectors.appleSamples() {
            let payload = String(decoding: try CompactJWS.payload(sample.signedPayload), as: UTF8.self)
            let envelope = NotificationEnvelope(try JSONDocument.object(bytes(payload)))
            func nested(_ field: EnvelopeField<Range<Int>>) throws -> String? {
                try field.value.map {
                    String(decoding: try CompactJWS.payload(Array(bytes(payload)[$0])), as: UTF8.self)
                }
            }
            let signed = Signed(
                payload: payload, transaction: try nested(envelope.signedTransactionInfo),
                renewalInfo: try nested(envelope.signedRenewalInfo),
                header: String(sample.signedPayload.prefix { $0 != "." }))
            let parts = try #require(try signed.parts(signedPayload: sample.signedPayload))
            var headers: [HeaderReference: [UInt8]] = [:]
            let references = parts.headers.map { segment in
                let reference = Signed.reference(String(decoding: segment, as: UTF8.self))
                headers[reference] = Array(segment)
                return reference
            }
            let value = RecordContent(
                notification: bytes(payload), nestedJWSTexts: envelope.nestedJWSTexts,
                transaction: signed.transaction.map { bytes($0) }, renewalInfo: signed.renewalInfo.map { bytes($0) },
                evidence: .proof(try #require(parts.proof(references)))
            ).value
            #expect(value.count * 5 < sample.signedPayload.utf8.count)
            let record = try NotificationRecord(key: nil, value: value, headers: [])
            #expect(try record.rebuild { headers[$0] } == bytes(sample.signedPayload))
            #expect(record.transaction?.fieldProblems == [] && record.notification.fieldProblems == [])
        }
    }
}
