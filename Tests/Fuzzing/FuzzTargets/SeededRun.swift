import TestSupport

/// Seeded inputs for one target: its own seeds, generated inputs, and mutants of both.
package struct SeededRun: Sendable {
    package struct Failure: Sendable {
        package let index: Int
        package let input: [UInt8]
        package let violation: Violation
    }

    private let target: FuzzTarget
    private let seed: UInt64

    package init(_ target: FuzzTarget, seed: UInt64) {
        self.target = target
        self.seed = seed
    }

    /// Returns the input with this index; a seed determines all inputs.
    package func input(_ index: Int) -> [UInt8] {
        if index.isMultiple(of: 2), index / 2 < target.seeds.count { return target.seeds[index / 2] }
        var random = SeededGenerator(seed: seed &+ UInt64(truncatingIfNeeded: index) &* 0x9E37_79B9_7F4A_7C15)
        var input: [UInt8]
        if let generate = target.generate, random.oneIn(2) {
            input = generate(&random)
            if random.oneIn(5) { return input }
        } else {
            input = random.pick(target.seeds) ?? []
        }
        var mutator = ByteMutator(seed: random.next(), tokens: target.tokens, maximumBytes: target.maximumBytes)
        input = mutator.mutant(of: input, others: target.seeds)
        return input
    }

    /// Checks inputs until one fails or `isEnough` returns true for the number of inputs so far. Returns this number
    /// and the failure.
    package func run(isEnough: (Int) -> Bool) -> (executions: Int, failure: Failure?) {
        var index = 0
        while !isEnough(index) {
            let input = input(index)
            do throws(Violation) {
                try target.check(input)
            } catch {
                return (index + 1, Failure(index: index, input: input, violation: error))
            }
            index += 1
        }
        return (index, nil)
    }
}
