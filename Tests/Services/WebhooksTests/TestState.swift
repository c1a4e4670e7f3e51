import AppStoreModel
import Foundation
import JSON
import Kafka
import Testing

@testable import Webhooks

/// States of purchases as sluice-entitlements publishes them, as far as webhooks read them.
enum TestState {
    /// The key of `key-3` is `com.example/key-3`.
    static func key(_ purchase: String, app: String = "com.example") -> [UInt8] { Array("\(app)/\(purchase)".utf8) }

    /// A state with a number that says which it is, and a version that grows with it.
    static func value(
        _ purchase: String, _ number: Int, app: String = "com.example", states: [String] = ["ACTIVE"]
    ) -> [UInt8] {
        func rows(_ isEntitled: Bool) -> String {
            states.filter { ($0 == "ACTIVE") == isEntitled }
                .map { #"{"entitlement":"pro","isEntitled":\#(isEntitled),"state":"\#($0)"}"# }
                .joined(separator: ",")
        }
        return Array(
            """
            {"version":"\(String(repeating: "0", count: 9) + "\(100_000 + number)")-000001793491201000",\
            "environment":"Production","bundleId":"\(app)","originalTransactionId":"\(purchase)",\
            "asOf":1793491201000,"active":["pro"],"grants":[\(rows(true))],"inactive":[\(rows(false))],"number":\(number),\
            "facts":{"formatVersion":2,"claim":"internal"}}
            """.utf8)
    }

    /// `key-3:14` of a message or of a record's value; nil for anything else.
    static func name(of json: [UInt8]) -> String? {
        guard let object = (try? JSONValue(json: json))?.object else { return nil }
        let state = object["data"]?.object ?? object
        guard let purchase = state["originalTransactionId"]?.string, let number = state["number"]?.integer else {
            return nil
        }
        return "\(purchase):\(number)"
    }
}

extension Delivery {
    /// `key-3:14`.
    var state: String { TestState.name(of: body) ?? "" }
    var message: JSONObject { (try? JSONValue(json: body))?.object ?? JSONObject() }
    var data: JSONObject { message["data"]?.object ?? JSONObject() }
}
