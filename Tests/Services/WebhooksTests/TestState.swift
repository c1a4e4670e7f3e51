import AppStoreModel
import Foundation
import JSON
import Kafka
import Testing

@testable import Webhooks

/// States of purchases as published by sluice-entitlements, with the members that webhooks read.
enum TestState {
    /// Returns the key of a purchase: `com.example/key-3` for `key-3`.
    static func key(_ purchase: String, app: String = "com.example") -> [UInt8] { Array("\(app)/\(purchase)".utf8) }

    /// Returns a state with an identifying number, and a version that increases with the number.
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

    /// Returns `key-3:14` for a message or a record's value; nil for anything else.
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
    /// The name of the state, such as `key-3:14`.
    var state: String { TestState.name(of: body) ?? "" }
    var message: JSONObject { (try? JSONValue(json: body))?.object ?? JSONObject() }
    var data: JSONObject { message["data"]?.object ?? JSONObject() }
}
