internal import Lifecycle

extension InputFile {
    /// Reads a file against which an archive is checked, such as a proof, a policy, or saved checkpoints.
    ///
    /// - Parameter setting: the setting that names the file; nil if an argument names it.
    /// - Throws: a ``StartupError`` with exit code 6 if the file cannot be read.
    static func readEvidence(
        _ path: String, maximumBytes: Int, setting: String? = nil
    ) async throws(StartupError) -> [UInt8] {
        do throws(StartupError) {
            return try await read(path, maximumBytes: maximumBytes)
        } catch {
            throw StartupError(error.problem, setting: setting, fix: error.fix, exitCode: .archiveUnreadable)
        }
    }
}
