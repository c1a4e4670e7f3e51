/// A JSON object as text, with its members in the order they were put. An absent (`nil`) value puts nothing.
struct PayloadText: Sendable {
    private var members: [UInt8] = []

    /// The object with its braces, in UTF-8.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(members.count + 2)
        bytes.append(UInt8(ascii: "{"))
        bytes += members
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// The object with its braces.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func put(_ name: String, _ value: String?) {
        guard let value else { return }
        putName(name)
        quote(value)
    }

    /// A JWS in compact form, whose alphabet needs no quoting.
    mutating func put(_ name: String, jws: [UInt8]?) {
        guard let jws else { return }
        putName(name)
        members.append(UInt8(ascii: "\""))
        members += jws
        members.append(UInt8(ascii: "\""))
    }

    mutating func put(_ name: String, _ value: Int64?) {
        guard let value else { return }
        putName(name)
        members += String(value).utf8
    }

    mutating func put(_ name: String, _ value: Bool?) {
        guard let value else { return }
        putName(name)
        members += (value ? "true" : "false").utf8
    }

    mutating func put(_ name: String, _ value: PayloadText?) {
        guard let value else { return }
        putName(name)
        members += value.bytes
    }

    mutating func put(_ name: String, _ values: [String]?) {
        guard let values else { return }
        putList(name, values) { object, value in object.quote(value) }
    }

    mutating func put(_ name: String, _ values: [PayloadText]?) {
        guard let values else { return }
        putList(name, values) { object, value in object.members += value.bytes }
    }

    private mutating func putList<Value>(_ name: String, _ values: [Value], _ write: (inout Self, Value) -> Void) {
        putName(name)
        members.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { members.append(UInt8(ascii: ",")) }
            write(&self, value)
        }
        members.append(UInt8(ascii: "]"))
    }

    private mutating func putName(_ name: String) {
        if !members.isEmpty { members.append(UInt8(ascii: ",")) }
        quote(name)
        members.append(UInt8(ascii: ":"))
    }

    private mutating func quote(_ text: String) {
        members.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                members.append(UInt8(ascii: "\\"))
                members.append(byte)
            case 0..<0x20:
                members += "\\u00".utf8
                members += (byte < 0x10 ? "0" : "").utf8
                members += String(byte, radix: 16).utf8
            default:
                members.append(byte)
            }
        }
        members.append(UInt8(ascii: "\""))
    }
}
