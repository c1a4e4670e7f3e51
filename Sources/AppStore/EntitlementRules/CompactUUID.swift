package import AppStoreModel

/// A notificationUUID in compact form: 128 bits if the text is a lowercase UUID, as sent by Apple; otherwise the text
/// itself.
package enum CompactUUID: Hashable, Sendable {
    case bits(high: UInt64, low: UInt64)
    case text(NotificationUUID)

    /// A value that sorts before all others.
    static let none = CompactUUID.text(NotificationUUID(""))

    init(_ uuid: NotificationUUID) { self = Self.bits(of: uuid.rawValue.utf8) ?? .text(uuid) }

    /// - Parameter text: the text of the UUID in UTF-8.
    init(text: ArraySlice<UInt8>) {
        self = Self.bits(of: text) ?? .text(NotificationUUID(String(decoding: text, as: UTF8.self)))
    }

    package var uuid: NotificationUUID {
        switch self {
        case .bits(let high, let low): NotificationUUID(Self.text(high: high, low: low))
        case .text(let uuid): uuid
        }
    }

    /// The first eight bytes of the text as a big-endian number. Prefixes sort in the same order as the strings.
    var prefix: UInt64 {
        var prefix: UInt64 = 0
        switch self {
        case .bits(let high, _):
            for shift in stride(from: UInt64(60), through: 32, by: -4) {
                prefix = prefix << 8 | UInt64(Self.digit(UInt8(truncatingIfNeeded: high >> shift) & 15))
            }
        case .text(let uuid):
            var count = 0
            for byte in uuid.rawValue.utf8.prefix(8) {
                prefix = prefix << 8 | UInt64(byte)
                count += 1
            }
            prefix <<= UInt64(8 * (8 - count))
        }
        return prefix
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    private static func bits(of text: some Collection<UInt8>) -> CompactUUID? {
        guard text.count == 36 else { return nil }
        var words: (high: UInt64, low: UInt64) = (0, 0)
        var index = -1
        for byte in text {
            index += 1
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let value: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = byte - UInt8(ascii: "a") + 10
            default: return nil
            }
            words.high = words.high << 4 | words.low >> 60
            words.low = words.low << 4 | UInt64(value)
        }
        return .bits(high: words.high, low: words.low)
    }

    private static func text(high: UInt64, low: UInt64) -> String {
        String(unsafeUninitializedCapacity: textLength) { text in
            write(high: high, low: low, to: text)
            return textLength
        }
    }

    static let textLength = 36

    /// - Parameter text: a buffer of ``textLength`` bytes.
    static func write(high: UInt64, low: UInt64, to text: UnsafeMutableBufferPointer<UInt8>) {
        var index = 0
        for digit in 0..<32 {
            if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                text[index] = UInt8(ascii: "-")
                index += 1
            }
            let word = digit < 16 ? high : low
            text[index] = Self.digit(UInt8(truncatingIfNeeded: word >> UInt64(60 - digit % 16 * 4)) & 15)
            index += 1
        }
    }
}

extension CompactUUID: Comparable {
    /// Compares the strings. For two 128-bit values, comparing the bits is equivalent.
    package static func < (one: CompactUUID, other: CompactUUID) -> Bool {
        if case .bits(let high, let low) = one, case .bits(let otherHigh, let otherLow) = other {
            return (high, low) < (otherHigh, otherLow)
        }
        return one != other && one.uuid < other.uuid
    }
}
