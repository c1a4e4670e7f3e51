import Foundation

/// A JSON parser that does not use the package's own scanner, so that a bug cannot hide in both.
enum JSON {
    /// Texts, integers, arrays and objects by name.
    typealias Object = [String: any Sendable]

    /// Returns `nil` if it is not an object.
    static func object(_ text: String) -> Object? { object(Array(text.utf8)) }

    static func object(_ bytes: [UInt8]) -> Object? {
        guard let value = try? JSONSerialization.jsonObject(with: Data(bytes)) else { return nil }
        return sendable(value) as? Object
    }

    private static func sendable(_ value: Any) -> any Sendable {
        switch value {
        case let object as [String: Any]: object.mapValues { sendable($0) }
        case let array as [Any]: array.map { sendable($0) }
        case let text as String: text
        case let number as NSNumber: number.int64Value
        default: "\(value)"
        }
    }
}

extension JSON.Object {
    func text(_ name: String) -> String? { self[name] as? String }
    func integer(_ name: String) -> Int64? { self[name] as? Int64 }
    /// Foundation does not distinguish 1 and `true`.
    func flag(_ name: String) -> Bool? { integer(name).map { $0 != 0 } }
    func object(_ name: String) -> JSON.Object? { self[name] as? JSON.Object }
    func objects(_ name: String) -> [JSON.Object] {
        (self[name] as? [any Sendable])?.compactMap { $0 as? JSON.Object } ?? []
    }
}
