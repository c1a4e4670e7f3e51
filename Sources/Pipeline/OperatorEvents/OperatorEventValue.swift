internal import JSON

/// A detail of an operator event.
package enum OperatorEventValue: Hashable, Sendable {
    case text(String)
    case integer(Int64)
    case boolean(Bool)

    func write(as name: String, to object: inout JSONWriter) {
        object.name(of: name)
        switch self {
        case .text(let text): object.string(text)
        case .integer(let integer): object.integer(integer)
        case .boolean(let boolean): object.bool(boolean)
        }
    }
}
