import AppStoreModel
import JSON
import LegacyNotifications
import Testing

@Suite("The body in a record") struct LegacyRedactionTests {
    private func legacy(_ json: String) throws -> String {
        String(decoding: LegacyBody(try JSONDocument.object(Array(json.utf8))).redacted(), as: UTF8.self)
    }

    @Test func `the body is preserved byte for byte except for private members`() throws {
        let body = """
            { "notification_type" : "CANCEL",  "password":"\(canary)", "environment":"PROD",
              "latest_receipt":"MIIT0001","latest_expired_receipt" : "MIIT0002" ,
              "unified_receipt": { "latest_receipt": "MIIT0003", "status": 0.0e0,
                "latest_receipt_info": [ { "transaction_id" :"\\u0031", "unique_identifier":"d1"},
                  {"unique_vendor_identifier": "d2" , "x":[ ]} ] }, "unknown" : null }
            """
        #expect(
            try legacy(body) == """
                { "notification_type" : "CANCEL",  "environment":"PROD",
                  "unified_receipt": { "status": 0.0e0,
                    "latest_receipt_info": [ { "transaction_id" :"\\u0031"},
                      {"x":[ ]} ] }, "unknown" : null }
                """)
    }

    static let spellings: [String] = [
        #"{"password":"@"}"#, #"{"a":1,"password":"@"}"#, #"{"password":"@","a":1}"#,
        #"{"\u0070assword":"@"}"#, #"{"pass\u0077ord":"@"}"#, #"{"PASSWORD":"@"}"#, #"{"PassWord":"@"}"#,
        #"{"password":"@","Password":"@"}"#, #"{"a":{"password":"@"}}"#, #"{"a":[[{"b":{"password":"@"}}]]}"#,
        #"{"password":"@","shared":"@"}"#, #"{"shared":"x@y","password":"@"}"#, #"{"@":1,"password":"@"}"#,
        #"{"x@y":1,"b":2,"password":"@"}"#, #"{"password":"@","list":["@",1,["@"]]}"#, #"{"password":["@"]}"#,
        #"{"password":{"password":"@"}}"#, #"{"password":"@","c":"%C%"}"#, #"{"password":"%C%","c":"@"}"#,
        #"{"password":"@","json":"{\"password\":\"@\"}"}"#, #"{"password":"@","json":"{\"x\":\"%D%\"}"}"#,
        #"{"unified_receipt":{"password":"@","latest_receipt":"@"}}"#, #"{"latest_receipt":"@"}"#,
    ]

    /// The secret with every character escaped.
    private static let escaped = canary.utf8.map { "\\u00" + String($0, radix: 16) }.joined()

    @Test(arguments: spellings) func `the body does not contain the secret in any encoding`(spelling: String) throws {
        let body = spelling.replacing("@", with: canary).replacing("%C%", with: Self.escaped)
            .replacing("%D%", with: Self.escaped.replacing("\\", with: "\\\\"))
        let legacy = try legacy(body)
        #expect(!legacy.contains(canary))
        #expect(!legacy.contains(Self.escaped))
        // It must still be a single JSON object.
        let document = try JSONDocument.object(Array(legacy.utf8))
        #expect(!contains(JSONValue(document.root), canary))
    }

    private func contains(_ value: JSONValue, _ text: String) -> Bool {
        switch value {
        case .string(let string): string.contains(text)
        case .array(let elements): elements.contains { contains($0, text) }
        case .object(let object): object.members.contains { $0.name.contains(text) || contains($0.value, text) }
        case .null, .bool, .number: false
        }
    }

    @Test func `text next to a secret is preserved`() throws {
        #expect(
            try legacy(#"{"a":1,"shared":"x\#(canary)","list":["\#(canary)","b"],"password":"\#(canary)"}"#)
                == #"{"a":1,"shared":"","list":["","b"]}"#)
    }

    @Test func `the body and the payloads contain no text that repeats the secret`() throws {
        let draft = LegacyDraft(
            "DID_RENEW", [transaction("100", .init(canary), with: ["promotional_offer_id": .string("x" + canary)])],
            [renewal("1", canary)],
            ["bvrs": .string(canary), "auto_renew_product_id": .string(canary), "auto_renew_status": .string(canary)])
        let notification = try draft.read()
        let texts = [notification.notification, notification.transaction ?? [], notification.renewalInfo ?? []]
        #expect(texts.allSatisfy { !String(decoding: $0, as: UTF8.self).contains(canary) })
        #expect(try notification.transactionPayload?.productId == nil)
        #expect(try notification.transactionPayload?.offerType == nil)
    }
}
