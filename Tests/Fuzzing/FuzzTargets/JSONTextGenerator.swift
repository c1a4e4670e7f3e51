package import TestSupport

/// Generates JSON texts of every kind from a seed.
package struct JSONTextGenerator {
    package private(set) var random: SeededGenerator
    private var names = 0

    package init(random: SeededGenerator) { self.random = random }

    package mutating func text() -> [UInt8] {
        var text: [UInt8] = []
        value(depth: 0, to: &text)
        return text
    }

    private mutating func value(depth: Int, to text: inout [UInt8]) {
        space(to: &text)
        switch random.below(depth < 5 ? 9 : 6) {
        case 0: text += "null".utf8
        case 1: text += (random.oneIn(2) ? "true" : "false").utf8
        case 2, 3: number(to: &text)
        case 4, 5: string(to: &text)
        case 6: array(depth: depth, to: &text)
        default: object(depth: depth, to: &text)
        }
        space(to: &text)
    }

    private mutating func space(to text: inout [UInt8]) {
        for _ in 0..<random.below(2) { text.append(random.pick([0x20, 0x09, 0x0A, 0x0D]) ?? 0x20) }
    }

    private mutating func number(to text: inout [UInt8]) {
        if random.oneIn(2) { text += "-".utf8 }
        text += String(random.below(1_000_000)).utf8
        if random.oneIn(2) { text += ".\(random.below(1000))".utf8 }
        if random.oneIn(2) { text += "e\(random.below(19) - 9)".utf8 }
    }

    private mutating func string(to text: inout [UInt8]) {
        let parts = ["a", "bc", "é", "漢", "😀", #"\n"#, #"\u0041"#, #"\ud83d\ude00"#, #"\""#, #"\\"#, "/", "\u{7F}"]
        text += "\"".utf8
        for _ in 0..<random.below(12) { text += (random.pick(parts) ?? "").utf8 }
        text += "\"".utf8
    }

    private mutating func array(depth: Int, to text: inout [UInt8]) {
        text += "[".utf8
        let count = random.below(4)
        for index in 0..<count {
            if index > 0 { text += ",".utf8 }
            value(depth: depth + 1, to: &text)
        }
        if count == 0 { space(to: &text) }
        text += "]".utf8
    }

    private mutating func object(depth: Int, to text: inout [UInt8]) {
        text += "{".utf8
        for index in 0..<random.below(4) {
            if index > 0 { text += ",".utf8 }
            names += 1
            space(to: &text)
            text += "\"n\(names)\"".utf8
            space(to: &text)
            text += ":".utf8
            value(depth: depth + 1, to: &text)
        }
        text += "}".utf8
    }
}
