import AppStoreModel
import JSON
import Testing

private func envelope(_ text: String) throws -> NotificationEnvelope {
    NotificationEnvelope(try JSONDocument.object(Array(text.utf8)))
}

/// Returns a payload with its nested JWS texts emptied.
private func remainder(_ text: String) throws -> String {
    let bytes = Array(text.utf8)
    let ranges = NotificationEnvelope(try JSONDocument.object(bytes)).nestedJWSTexts
    var result: [UInt8] = []
    var position = 0
    for range in ranges {
        result += bytes[position..<range.lowerBound]
        position = range.upperBound
    }
    result += bytes[position...]
    _ = try JSONDocument.object(result)
    return String(decoding: result, as: UTF8.self)
}

@Suite("Notification envelope") struct NotificationEnvelopeTests {
    @Test func `the fields that the ingress needs are parsed`() throws {
        let text = #"""
            {"notificationType":"DID_RENEW","subtype":"BILLING_RECOVERY","notificationUUID":"u-1","version":"2.0",
             "signedDate":1790000000000.75,"data":{"appAppleId":12,"bundleId":"com.example","environment":"Sandbox",
             "signedTransactionInfo":"a.b.c","signedRenewalInfo":"d.e.f"}}
            """#
        let envelope = try envelope(text)
        #expect(envelope.containers == [.data])
        #expect(!envelope.hasMalformedContainer)
        #expect(envelope.notificationType.value == .didRenew)
        #expect(envelope.subtype.value == .billingRecovery)
        #expect(envelope.notificationUUID.value == NotificationUUID("u-1"))
        #expect(envelope.notificationUUID.value?.isWellFormed == false)
        #expect(envelope.version.value == "2.0")
        #expect(envelope.signedDate.value?.millisecondsSince1970 == 1_790_000_000_000)
        #expect(envelope.environment.value == .sandbox)
        #expect(envelope.bundleId.value == BundleId("com.example"))
        #expect(envelope.appAppleId.value == AppAppleId(12))
        let bytes = Array(text.utf8)
        #expect(envelope.signedTransactionInfo.value.map { Array(bytes[$0]) } == Array("a.b.c".utf8))
        #expect(envelope.signedRenewalInfo.value.map { Array(bytes[$0]) } == Array("d.e.f".utf8))
        #expect(envelope.signedAppTransactionInfo == .absent)
    }

    @Test func `the first present container provides the identity, and all are listed`() throws {
        let envelope = try envelope(
            #"{"appData":{"bundleId":"c"},"summary":{"bundleId":"b","requestIdentifier":"r"},"data":null}"#)
        #expect(envelope.containers == [.summary, .appData])
        #expect(envelope.bundleId.value == BundleId("b"))
        #expect(envelope.requestIdentifier.value == RequestIdentifier("r"))
    }

    @Test(
        arguments: [
            (#"{"unclaimInfo":{"bundleId":"b","environment":"Sandbox","unclaimSeatIds":["u"]}}"#, [.unclaimInfo]),
            (#"{"new":{"bundleId":"b","environment":"Sandbox"}}"#, [.other]),
            (#"{"data":{"bundleId":"b","environment":"Sandbox"},"new":{"bundleId":"c"},"x":[{}]}"#, [.data]),
            (
                #"{"new":{"bundleId":"b","environment":"Sandbox"},"more":{"bundleId":"c","environment":"Sandbox"}}"#,
                [.other, .other]
            ),
            (#"{"new":{"bundleId":"b"},"more":{"environment":"Sandbox"}}"#, []),
        ] as [(String, [NotificationEnvelope.Container])])
    func `an unknown object is a container if it names its app and environment`(
        text: String, containers: [NotificationEnvelope.Container]
    ) throws {
        let envelope = try envelope(text)
        #expect(envelope.containers == containers)
        #expect(envelope.bundleId.value == (containers.isEmpty ? nil : BundleId("b")))
        #expect(envelope.environment.value == (containers.isEmpty ? nil : .sandbox))
    }

    @Test(arguments: [
        (#""SANDBOX_1""#, EnvelopeField<AppStoreEnvironment>.value(.sandbox)), (#""b2158121""#, .value(.production)),
        ("null", .value(.production)), (#""sandbox_1""#, .malformed(.ambiguous)),
        (#""Sandbox""#, .malformed(.ambiguous)),
        ("7", .malformed(.type)), (#""""#, .malformed(.text)),
    ])
    func `the id of an external purchase token determines the environment`(
        id: String, expected: EnvelopeField<AppStoreEnvironment>
    ) throws {
        let envelope = try envelope(#"{"externalPurchaseToken":{"externalPurchaseId":\#(id),"bundleId":"b"}}"#)
        #expect(envelope.environment == expected)
        #expect(envelope.containers == [.externalPurchaseToken])
    }

    @Test(arguments: [
        (#"{"signedDate":"1"}"#, EnvelopeFault.type), (#"{"signedDate":1e300}"#, .date),
        (#"{"signedDate":-99999999999999}"#, .date), (#"{"signedDate":{}}"#, .type),
    ])
    func `an invalid date is reported`(text: String, fault: EnvelopeFault) throws {
        #expect(try envelope(text).signedDate == .malformed(fault))
    }

    @Test(arguments: [
        ("12.5", EnvelopeFault.number), ("1e30", .number), (#""12""#, .type), ("true", .type),
    ])
    func `an app id that is not a whole number is reported`(number: String, fault: EnvelopeFault) throws {
        #expect(try envelope(#"{"data":{"appAppleId":\#(number)}}"#).appAppleId == .malformed(fault))
    }

    @Test(arguments: [
        "", "a\\u0000b", "a\\u0085", String(repeating: "x", count: 257), String(repeating: "x", count: 1 << 20),
    ])
    func `text that cannot be used as a key or header is reported`(text: String) throws {
        let envelope = try envelope(#"{"notificationUUID":"\#(text)","data":{"bundleId":"\#(text)"}}"#)
        #expect(envelope.notificationUUID == .malformed(.text))
        #expect(envelope.bundleId == .malformed(.text))
    }

    @Test func `text of 256 bytes written with escapes is parsed`() throws {
        let text = String(repeating: "\\u0041", count: 256)
        #expect(try envelope(#"{"subtype":"\#(text)"}"#).subtype.value?.rawValue.count == 256)
    }

    @Test(arguments: [#"{"data":5}"#, #"{"data":"x"}"#, #"{"data":[]}"#])
    func `a container that is not an object is reported`(text: String) throws {
        let envelope = try envelope(text)
        #expect(envelope.hasMalformedContainer)
        #expect(envelope.bundleId == .absent)
        #expect(envelope.nestedJWSTexts.isEmpty)
    }

    @Test func `a nested JWS that is not a plain string is reported`() throws {
        let envelope = try envelope(
            #"{"data":{"signedTransactionInfo":1,"signedRenewalInfo":"a\u002eb"}}"#)
        #expect(envelope.signedTransactionInfo == .malformed(.type))
        #expect(envelope.signedRenewalInfo == .malformed(.text))
    }

    @Test(arguments: [
        (#"{"data":{"signedTransactionInfo":"t","a":1}}"#, #"{"data":{"signedTransactionInfo":"","a":1}}"#),
        (
            #"{"data":{"a":1,"signedRenewalInfo":"r" , "signedTransactionInfo" : "t"}}"#,
            #"{"data":{"a":1,"signedRenewalInfo":"" , "signedTransactionInfo" : ""}}"#
        ),
        (#"{"data":{"signedTransactionInfo":null}}"#, #"{"data":{"signedTransactionInfo":null}}"#),
        (#"{"data":{"signedTransactionInfo":""}}"#, #"{"data":{"signedTransactionInfo":""}}"#),
        (#"{"data":{"signed\u0052enewalInfo":"r"}}"#, #"{"data":{"signed\u0052enewalInfo":""}}"#),
        (#"{"signedTransactionInfo":"kept","data":{}}"#, #"{"signedTransactionInfo":"kept","data":{}}"#),
        (
            #"{"data":{"deep":{"signedTransactionInfo":"kept"}}}"#,
            #"{"data":{"deep":{"signedTransactionInfo":"kept"}}}"#
        ),
        (
            #"{"appData":{"signedAppTransactionInfo":"x"},"data":{"signedRenewalInfo":"r","a":1}}"#,
            #"{"appData":{"signedAppTransactionInfo":""},"data":{"signedRenewalInfo":"","a":1}}"#
        ),
    ])
    func `nested JWS texts are emptied in place, and nothing else changes`(text: String, expected: String) throws {
        #expect(try remainder(text) == expected)
    }
}

@Suite("Envelopes of nested payloads") struct NestedEnvelopeTests {
    @Test func `a transaction is recognized by its two ids`() throws {
        let text = #"{"transactionId":"2","originalTransactionId":"1","bundleId":"b","environment":"Production"}"#
        let transaction = TransactionEnvelope(try JSONDocument(Array(text.utf8)))
        #expect(transaction.isTransaction)
        #expect(transaction.originalTransactionId.value == OriginalTransactionId("1"))
        #expect(transaction.environment.value == .production)
        #expect(!RenewalInfoEnvelope(try JSONDocument(Array(text.utf8))).isRenewalInfo)
    }

    @Test func `renewal info is recognized by its renewal fields`() throws {
        let text = #"{"originalTransactionId":"1","autoRenewStatus":0,"environment":"Sandbox","signedDate":5}"#
        let renewalInfo = RenewalInfoEnvelope(try JSONDocument(Array(text.utf8)))
        #expect(renewalInfo.isRenewalInfo)
        #expect(renewalInfo.signedDate.value?.millisecondsSince1970 == 5)
        #expect(!TransactionEnvelope(try JSONDocument(Array(text.utf8))).isTransaction)
    }

    @Test func `an app transaction names its app`() throws {
        let text = #"{"receiptType":"Production","bundleId":"b","appAppleId":9,"appTransactionId":"71134"}"#
        let appTransaction = AppTransactionEnvelope(try JSONDocument(Array(text.utf8)))
        #expect(appTransaction.receiptType.value == .production)
        #expect(appTransaction.appAppleId.value == AppAppleId(9))
        #expect(appTransaction.appTransactionId.value == AppTransactionId("71134"))
    }
}
