package import AppStoreModel

/// A notificationUUID in few bytes: 128 bits where it is written in lower case as Apple does, else the text.
package enum CompactUUID: Hashable, Sendable {
    case bits(high: UInt64, low: UInt64)
    case text(NotificationUUID)

    init(_ uuid: NotificationUUID) {
        self = Self.bits(of: uuid.rawValue).map { .bits(high: $0.high, low: $0.low) } ?? .text(uuid)
    }

    package var uuid: NotificationUUID {
        switch self {
        case .bits(let high, let low): NotificationUUID(Self.text(high: high, low: low))
        case .text(let uuid): uuid
        }
    }

    private static func bits(of text: String) -> (high: UInt64, low: UInt64)? {
        guard text.utf8.count == 36 else { return nil }
        var words: (high: UInt64, low: UInt64) = (0, 0)
        for (index, byte) in text.utf8.enumerated() {
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
        return words
    }

    private static func text(high: UInt64, low: UInt64) -> String {
        String(unsafeUninitializedCapacity: 36) { text in
            var index = 0
            for digit in 0..<32 {
                if digit == 8 || digit == 12 || digit == 16 || digit == 20 {
                    text[index] = UInt8(ascii: "-")
                    index += 1
                }
                let word = digit < 16 ? high : low
                let value = UInt8(truncatingIfNeeded: word >> UInt64(60 - digit % 16 * 4)) & 15
                text[index] = value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
                index += 1
            }
            return index
        }
    }
}

extension CompactUUID: Comparable {
    /// The order of the texts, which is that of the bits.
    package static func < (one: CompactUUID, other: CompactUUID) -> Bool {
        if case .bits(let high, let low) = one, case .bits(let otherHigh, let otherLow) = other {
            return (high, low) < (otherHigh, otherLow)
        }
        return one != other && one.uuid < other.uuid
    }
}
