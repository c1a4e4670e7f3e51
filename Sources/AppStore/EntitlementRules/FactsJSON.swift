internal import AppStoreModel
internal import JSON

extension FieldReader {
    /// Reads `signedDate`, `trust` and `notificationUUID`, or returns nil if there is no signedDate.
    mutating func version() -> FactVersion? {
        let isSigned = string("trust") != FactVersion.sharedSecret
        let uuid = textBytes("notificationUUID").map { CompactUUID(text: $0) }
        return instant("signedDate").map { FactVersion(signedDate: $0, isSigned: isSigned, uuid: uuid) }
    }
}

// These functions are not in the JSON module, because generic functions are not specialized across modules, and the
// cost of unspecialized calls would dominate writing.
extension JSONWriter {
    mutating func set(_ name: StaticString, _ value: (some AppStoreIdentifier)?) { set(name, value?.rawValue) }

    mutating func set<Value: OpenEnumeration>(_ name: StaticString, _ value: Value?) where Value.RawValue == String {
        set(name, value?.rawValue)
    }

    mutating func set<Value: OpenEnumeration>(_ name: StaticString, _ value: Value?) where Value.RawValue == Int32 {
        set(name, value?.rawValue)
    }

    mutating func set(_ version: FactVersion) {
        set("signedDate", version.signedDate)
        if !version.isSigned { set("trust", FactVersion.sharedSecret) }
        guard let uuid = version.uuid else { return }
        name("notificationUUID")
        switch uuid {
        case .bits(let high, let low):
            plainString(count: CompactUUID.textLength) { CompactUUID.write(high: high, low: low, to: $0) }
        case .text(let uuid): string(uuid.rawValue)
        }
    }
}
