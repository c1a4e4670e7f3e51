internal import CommandLine
internal import Dispatch
internal import Lifecycle
internal import Primitives

/// Reads a small file or standard input on a separate queue, because reading from a pipe may block.
enum InputFile {
    /// - Parameter path: the file, or `-` for standard input.
    static func read(_ path: String, maximumBytes: Int) async throws(StartupError) -> [UInt8] {
        let result: Result<[UInt8], StartupError> = await withCheckedContinuation { continuation in
            DispatchQueue(label: "input").async {
                continuation.resume(returning: readNow(path, maximumBytes: maximumBytes))
            }
        }
        return try result.get()
    }

    private static func readNow(_ path: String, maximumBytes: Int) -> Result<[UInt8], StartupError> {
        let name = path == "-" ? "standard input" : PlainText.printable(path)
        let file: FileDescriptor
        do throws(FileDescriptor.Failure) {
            file = path == "-" ? .standardInput : try FileDescriptor(reading: path)
        } catch {
            return .failure(
                StartupError("\(name) cannot be read", fix: "Pass a readable file, or - for standard input"))
        }
        do throws(FileDescriptor.Failure) {
            guard let bytes = try file.readToEnd(limit: maximumBytes) else {
                return .failure(
                    StartupError(
                        "\(name) has more than \(maximumBytes) bytes",
                        fix: "Pass a smaller file"))
            }
            return .success(bytes)
        } catch {
            return .failure(StartupError("\(name) cannot be read", fix: "Pass a regular file"))
        }
    }
}
