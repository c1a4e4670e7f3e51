/// The source file that each module of the copy gets, with the function that the instrumented texts call.
enum MutantSwitchText {
    /// The environment variable with the number of the active mutant.
    static let variable = "SLUICE_MUTANT"
    /// The environment variable with the path of a file to which a process appends the number of each mutant that it
    /// runs, whether active or not.
    static let recordVariable = "SLUICE_MUTANT_RECORD"

    // Usable from code that is inlined into other modules. If two threads run a mutant at the same moment, its number
    // may be recorded twice.
    static let text = """
        internal import Glibc

        @usableFromInline
        enum MutantSwitch {
            private static let active: Int32 = getenv("\(variable)").map { atoi($0) } ?? 0
            private static let record: Int32 =
                getenv("\(recordVariable)").map { open($0, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) } ?? -1
            nonisolated(unsafe) private static let recorded: UnsafeMutablePointer<Bool> = {
                let flags = UnsafeMutablePointer<Bool>.allocate(capacity: 65_536)
                flags.initialize(repeating: false, count: 65_536)
                return flags
            }()

            @usableFromInline
            static func isOn(_ mutant: Int32) -> Bool {
                if record >= 0, !recorded[Int(mutant)] {
                    recorded[Int(mutant)] = true
                    let line = "\\(mutant)\\n"
                    _ = write(record, line, line.utf8.count)
                }
                return active == mutant
            }
        }
        """
}
