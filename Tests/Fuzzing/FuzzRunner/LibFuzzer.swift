#if LIBFUZZER
    import Foundation
    import FuzzTargets

    /// The entry points that libFuzzer calls. `FUZZ_TARGET` is the target's name and `FUZZ_MATERIAL` the directory of
    /// the signed material. If only `FUZZ_CORPUS` is set, the process writes the initial corpus and the dictionary of
    /// each target there, lists the targets with their maximum input lengths, and exits.
    private enum LibFuzzer {
        static let environment = ProcessInfo.processInfo.environment

        static let targets: [FuzzTarget] = {
            do {
                return try FuzzTarget.all(
                    SignedMaterial(keptIn: environment["FUZZ_MATERIAL"] ?? ".build/fuzz-corpus/material", count: 43))
            } catch {
                stop("the targets cannot be made: \(error)")
            }
        }()

        static let target: FuzzTarget = {
            guard let target = targets.first(where: { $0.name == environment["FUZZ_TARGET"] }) else {
                stop("FUZZ_TARGET is none of \(targets.map(\.name))")
            }
            return target
        }()

        static func stop(_ message: String) -> Never {
            FileHandle.standardError.write(Data("\(message)\n".utf8))
            exit(2)
        }

        static func prepare(_ corpus: String) throws {
            for target in targets {
                let folder = URL(filePath: corpus, directoryHint: .isDirectory).appending(path: target.name)
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                for (index, seed) in target.seeds.enumerated() {
                    try Data(seed).write(to: folder.appending(path: "seed-\(index)"))
                }
                let tokens = target.tokens.map { token in "\"" + token.utf8.map(escaped).joined() + "\"\n" }
                try Data(tokens.joined().utf8).write(to: URL(filePath: folder.path + ".dict"))
                print(target.name, target.maximumBytes)
            }
        }

        private static func escaped(_ byte: UInt8) -> String {
            let digits = String(byte, radix: 16)
            return "\\x" + (digits.count == 1 ? "0" : "") + digits
        }
    }

    @_cdecl("LLVMFuzzerInitialize")
    func initializeFuzzer(_ count: UnsafeMutableRawPointer?, _ arguments: UnsafeMutableRawPointer?) -> CInt {
        if let corpus = LibFuzzer.environment["FUZZ_CORPUS"] {
            do { try LibFuzzer.prepare(corpus) } catch { LibFuzzer.stop("\(corpus): \(error)") }
            exit(0)
        }
        _ = LibFuzzer.target
        return 0
    }

    @_cdecl("LLVMFuzzerTestOneInput")
    func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        do throws(Violation) {
            try LibFuzzer.target.check(Array(UnsafeBufferPointer(start: start, count: count)))
        } catch {
            FileHandle.standardError.write(Data("violation: \(error)\n".utf8))
            abort()
        }
        return 0
    }
#endif
