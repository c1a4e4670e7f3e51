/// Encodes the subset of DER (X.690) that certificate extensions need.
package enum DER {
    package static let null: [UInt8] = [0x05, 0x00]

    /// Encodes a value as tag, definite length and content.
    package static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        [tag] + length(content.count) + content
    }

    package static func sequence(_ elements: [UInt8]...) -> [UInt8] { value(0x30, elements.flatMap { $0 }) }

    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 128 else { return [UInt8(truncatingIfNeeded: count)] }
        var bytes: [UInt8] = []
        var rest = count
        while rest > 0 {
            bytes.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [0x80 | UInt8(truncatingIfNeeded: bytes.count)] + bytes
    }
}
