#if !LIBFUZZER
    /// The command line options of `fuzz`.
    struct FuzzOptions {
        enum Mode: String {
            case seeded, mutations
        }

        struct Mistake: Error, CustomStringConvertible {
            let description: String
        }

        var mode: Mode
        /// The name of a target; nil for all.
        var target: String?
        var seconds: Int64 = 60
        var seed: UInt64 = 1
        var count = 100_000
        /// Directory of the stored originals. With the same originals a seed generates the same inputs in every run.
        var material = ".build/fuzz-corpus/material"
        /// Directory for inputs that caused a finding.
        var findings = ".build/fuzz-findings"

        static let usage = """
            fuzz seeded [--target NAME] [--seconds N] [--seed N] [--findings DIR] [--material DIR]
            fuzz mutations [--count N] [--seed N] [--findings DIR] [--material DIR]
            """

        init(_ arguments: [String]) throws(Mistake) {
            guard let mode = arguments.first.flatMap(Mode.init) else { throw Mistake(description: Self.usage) }
            self.mode = mode
            var rest = arguments.dropFirst()
            while let name = rest.popFirst() {
                guard let value = rest.popFirst() else { throw Mistake(description: "\(name) needs a value") }
                switch name {
                case "--target": target = value
                case "--seconds": seconds = try Self.number(value, name)
                case "--seed": seed = try Self.number(value, name)
                case "--count": count = try Self.number(value, name)
                case "--material": material = value
                case "--findings": findings = value
                default: throw Mistake(description: "unknown: \(name)\n\(Self.usage)")
                }
            }
        }

        private static func number<Number: FixedWidthInteger>(_ text: String, _ name: String) throws(Mistake) -> Number
        {
            guard let number = Number(text), number >= 0 else { throw Mistake(description: "\(name) needs a number") }
            return number
        }
    }
#endif
