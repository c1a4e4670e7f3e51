internal import AppStoreModel

/// Takes the known members out of an object; what remains are the unknown ones. A member of the wrong kind reads as
/// absent.
struct FactsReader {
    private(set) var remaining: JSONObject

    init(_ object: JSONObject) { remaining = object }

    mutating func value(_ name: String) -> JSONValue? {
        guard let value = remaining[name] else { return nil }
        remaining[name] = nil
        return value
    }

    mutating func string(_ name: String) -> String? { value(name)?.string }
    mutating func bool(_ name: String) -> Bool? { value(name)?.bool }
    mutating func int64(_ name: String) -> Int64? { value(name)?.integer }
    mutating func int32(_ name: String) -> Int32? { int64(name).flatMap { Int32(exactly: $0) } }
    mutating func array(_ name: String) -> [JSONValue] { value(name)?.array ?? [] }
    mutating func object(_ name: String) -> JSONObject? { value(name)?.object }

    mutating func instant(_ name: String) -> AppStoreInstant? {
        int64(name).flatMap { AppStoreInstant(millisecondsSince1970: $0) }
    }

    mutating func identifier<Identifier: AppStoreIdentifier>(_ name: String) -> Identifier? {
        string(name).map { Identifier($0) }
    }

    mutating func enumeration<Value: OpenEnumeration>(_ name: String) -> Value? where Value.RawValue == String {
        string(name).map { Value($0) }
    }

    mutating func enumeration<Value: OpenEnumeration>(_ name: String) -> Value? where Value.RawValue == Int32 {
        int32(name).map { Value($0) }
    }

    /// `signedDate`, `trust` and `notificationUUID`; nil without a signedDate.
    mutating func version() -> FactVersion? {
        let isSigned = string("trust") != "shared-secret"
        let notificationUUID: NotificationUUID? = identifier("notificationUUID")
        return instant("signedDate").map {
            FactVersion(signedDate: $0, isSigned: isSigned, notificationUUID: notificationUUID)
        }
    }
}

extension JSONObject {
    mutating func set(_ name: String, _ value: String?) { self[name] = value.map { .string($0) } }
    mutating func set(_ name: String, _ value: Bool?) { self[name] = value.map { .bool($0) } }
    mutating func set(_ name: String, _ value: Int64?) { self[name] = value.map { .integer($0) } }
    mutating func set(_ name: String, _ value: Int32?) { set(name, value.map { Int64($0) }) }
    mutating func set(_ name: String, _ value: AppStoreInstant?) { set(name, value?.millisecondsSince1970) }
    mutating func set(_ name: String, _ value: (some AppStoreIdentifier)?) { set(name, value?.rawValue) }

    mutating func set<Value: OpenEnumeration>(_ name: String, _ value: Value?) where Value.RawValue == String {
        set(name, value?.rawValue)
    }

    mutating func set<Value: OpenEnumeration>(_ name: String, _ value: Value?) where Value.RawValue == Int32 {
        set(name, value?.rawValue)
    }

    /// An empty array is left out.
    mutating func set(_ name: String, _ values: [JSONValue]) { self[name] = values.isEmpty ? nil : .array(values) }

    mutating func set(_ version: FactVersion) {
        set("signedDate", version.signedDate)
        if !version.isSigned { set("trust", "shared-secret") }
        set("notificationUUID", version.notificationUUID)
    }

    /// Appends members that are not there yet.
    mutating func add(unknown object: JSONObject) {
        for member in object.members where self[member.name] == nil { self[member.name] = member.value }
    }
}
