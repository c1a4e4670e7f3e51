#if !LIBFUZZER
    import AppStoreVerification
    import Foundation
    import FuzzTargets
    import TestSupport

    /// Runs the targets with a seed, or runs notification mutants. Builds for libFuzzer use another entry point.
    @main struct Fuzz {
        static func main() {
            do {
                let options = try FuzzOptions(Array(CommandLine.arguments.dropFirst()))
                let isClean = try options.mode == .seeded ? seeded(options) : mutations(options)
                exit(isClean ? 0 : 1)
            } catch {
                print(error)
                exit(2)
            }
        }

        private static func seeded(_ options: FuzzOptions) throws -> Bool {
            let targets = try FuzzTarget.all(SignedMaterial(keptIn: options.material, count: 43))
                .filter { options.target == nil || options.target == $0.name }
            guard !targets.isEmpty else { throw FuzzOptions.Mistake(description: "no such target") }
            var isClean = true
            for target in targets {
                let end = ContinuousClock.now + .seconds(options.seconds)
                let (executions, failure) = SeededRun(target, seed: options.seed).run { _ in ContinuousClock.now >= end
                }
                print("\(target.name): \(executions) executions, seed \(options.seed)")
                guard let failure else { continue }
                isClean = false
                let path = try keep(failure.input, "\(target.name)-\(options.seed)-\(failure.index)", options)
                print("  number \(failure.index): \(failure.violation)\n  input: \(path)")
            }
            return isClean
        }

        /// Verifies `count` mutants of notifications signed by the test certificate authority, and of Apple's samples
        /// if the vectors are present.
        private static func mutations(_ options: FuzzOptions) throws -> Bool {
            let material = try SignedMaterial(keptIn: options.material, count: 43)
            var runs = [("generated", try MutationRun(material, seed: options.seed))]
            if TestVectors.arePresent {
                runs.append(("Apple's", try MutationRun(try TestVectors.appleSamples(), seed: options.seed)))
            } else {
                print("without the notifications that Apple signed: \(TestVectors.absence)")
            }
            var isClean = true
            let share = (options.count + runs.count - 1) / runs.count
            for (name, var run) in runs {
                let start = ContinuousClock.now
                while run.tableStatus.tables == 0, ContinuousClock.now - start < .seconds(10) {
                    Thread.sleep(forTimeInterval: 0.01)
                }
                for first in stride(from: 0, to: share, by: 10_000) {
                    run.run(first..<min(share, first + 10_000))
                    FileHandle.standardError.write(Data("\(name): \(min(share, first + 10_000)) of \(share)\n".utf8))
                }
                print("\(share) mutants of \(name) notifications, seed \(options.seed), \(ContinuousClock.now - start)")
                for (outcome, count) in run.outcomes.sorted(by: { $0.value > $1.value }) {
                    print("  \(count)\t\(outcome)")
                }
                print("  tables judged \(run.tableStatus.judged) signatures, \(run.tableStatus.faults) faults")
                for finding in run.findings.prefix(20) {
                    isClean = false
                    let path = try keep(finding.body, "mutant-\(name)-\(options.seed)-\(finding.index)", options)
                    print("  number \(finding.index), \(finding.kind.rawValue): \(finding.violation)\n  body: \(path)")
                }
            }
            return try rebuilds(material, options) && isClean
        }

        /// Generates respelled payloads until `count` are accepted, and rebuilds each from its record.
        private static func rebuilds(_ material: SignedMaterial, _ options: FuzzOptions) throws -> Bool {
            let start = ContinuousClock.now
            var run = try RebuildRun(material, seed: options.seed)
            var next = 0
            while run.accepted < options.count, run.findings.isEmpty {
                let step = min(10_000, options.count - run.accepted)
                try run.run(next..<next + step)
                next += step
            }
            print("\(next) respelled payloads, seed \(options.seed), \(ContinuousClock.now - start)")
            for (outcome, count) in run.outcomes.sorted(by: { $0.value > $1.value }) { print("  \(count)\t\(outcome)") }
            for finding in run.findings.prefix(20) { print("  number \(finding.index): \(finding.violation)") }
            return run.findings.isEmpty
        }

        private static func keep(_ bytes: [UInt8], _ name: String, _ options: FuzzOptions) throws -> String {
            let folder = URL(filePath: options.findings, directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let file = folder.appending(path: name)
            try Data(bytes).write(to: file)
            return file.path
        }
    }
#endif
