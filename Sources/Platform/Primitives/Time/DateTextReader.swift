/// Parses the components of a date from left to right.
struct DateTextReader {
    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { position == text.count }

    mutating func number(digits: Int) -> Int? {
        var value = 0
        for _ in 0..<digits {
            guard let digit = nextDigit() else { return nil }
            value = value * 10 + digit
        }
        return value
    }

    /// Parses `HH:MM:SS` and returns the second of the day. Leap seconds are not supported.
    mutating func secondOfDay() -> Int? {
        guard let hour = number(digits: 2), skip(":"), let minute = number(digits: 2), skip(":"),
            let second = number(digits: 2), hour < 24, minute < 60, second < 60
        else { return nil }
        return (hour * 60 + minute) * 60 + second
    }

    /// Parses an optional fraction of a second, rounded down to milliseconds. Returns nil if no digit follows the
    /// point.
    mutating func milliseconds() -> Int? {
        guard skip(".") else { return 0 }
        var value = 0
        var count = 0
        while let digit = nextDigit() {
            if count < 3 { value = value * 10 + digit }
            count += 1
        }
        guard count > 0 else { return nil }
        for _ in min(count, 3)..<3 { value *= 10 }
        return value
    }

    /// Parses one of `names` and returns its index.
    mutating func name(of names: [String]) -> Int? {
        let rest = text[position...]
        guard let index = names.firstIndex(where: { rest.starts(with: $0.utf8) }) else { return nil }
        position += names[index].utf8.count
        return index
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard position < text.count, text[position] == UInt8(ascii: character) else { return false }
        position += 1
        return true
    }

    private mutating func nextDigit() -> Int? {
        guard position < text.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[position]) else {
            return nil
        }
        defer { position += 1 }
        return Int(text[position] - UInt8(ascii: "0"))
    }
}
