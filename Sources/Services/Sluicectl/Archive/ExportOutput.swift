internal import CommandLine
internal import Configuration
internal import Cryptography
internal import JSON
internal import Lifecycle
internal import Primitives

/// The target of an export: standard output, or a directory. A directory receives the rows, and a manifest with the
/// checkpoint of each exported log.
final class ExportOutput {
    private let console: Console
    private let directory: String?
    private let fileName: String
    private let file: FileDescriptor?
    private var hash = SHA256()
    private var byteCount = 0
    private(set) var rows = 0

    /// - Parameter directory: an existing directory, or nil for standard output.
    /// - Throws: a ``StartupError`` if the file cannot be created.
    init(_ console: Console, directory: String?, format: ExportFormat) throws(StartupError) {
        self.console = console
        self.directory = directory
        fileName = "records.\(format.rawValue)"
        guard let directory else {
            file = nil
            return
        }
        file = try Self.open("\(directory)/\(fileName)")
    }

    private static func open(_ path: String) throws(StartupError) -> FileDescriptor {
        do throws(FileDescriptor.Failure) {
            // The file contains personal data, so only its owner may read it.
            return try FileDescriptor(replacing: path, mode: 0o600)
        } catch {
            throw StartupError(
                "\(PlainText.printable(path)) cannot be written", setting: ArchiveReadingOptions.outputDirectory.key,
                fix: "Create the directory, or specify a different one")
        }
    }

    /// Writes text that is not a row, such as the CSV header.
    ///
    /// - Returns: whether the output is still open.
    func write(_ text: [UInt8]) async throws(StartupError) -> Bool {
        hash.update(text)
        byteCount += text.count
        guard let file else { return await console.write(text) }
        do throws(FileDescriptor.Failure) {
            try file.write(text)
        } catch {
            throw StartupError(
                "\(fileName) cannot be written completely", setting: ArchiveReadingOptions.outputDirectory.key,
                fix: "Check whether the disk is full")
        }
        return true
    }

    /// Writes a row.
    ///
    /// - Returns: whether the output is still open.
    func write(row: [UInt8]) async throws(StartupError) -> Bool {
        rows += 1
        return try await write(row)
    }

    /// If there is a directory, writes the manifest: the number of rows, their size and SHA-256, and, for each log, the
    /// checkpoint that covers its rows.
    func finish(_ logs: [ExportedLog], at instant: String, isComplete: Bool) throws(StartupError) {
        guard let directory else { return }
        var writer = JSONWriter()
        let digest = hash.finish().hex
        writer.object { manifest in
            manifest.set("format", "sluice-archive/export@v1")
            manifest.set("createdAt", instant)
            manifest.set("complete", isComplete)
            manifest.array("files") { files in
                files.object { file in
                    file.set("name", fileName)
                    file.set("rows", Int64(rows))
                    file.set("bytes", Int64(byteCount))
                    file.set("sha256", digest)
                }
            }
            manifest.array("logs") { array in for log in logs { array.object { log.add(to: &$0) } } }
        }
        let path = try Self.open("\(directory)/manifest.json")
        do throws(FileDescriptor.Failure) {
            try path.write(writer.bytes + [UInt8(ascii: "\n")])
        } catch {
            throw StartupError(
                "manifest.json cannot be written", setting: ArchiveReadingOptions.outputDirectory.key,
                fix: "Check whether the disk is full")
        }
    }
}

/// A log covered by an export.
struct ExportedLog: Sendable {
    let tree: ExportedTree
    /// The root hash of the tree, in base64.
    let root: String
    /// The checkpoint as a signed note.
    let checkpoint: String
    var rows = 0

    func add(to object: inout JSONWriter) {
        object.set("log", tree.origin)
        object.set("treeSize", Int64(tree.size))
        object.set("root", root)
        object.set("rows", Int64(rows))
        object.set("checkpoint", checkpoint)
    }
}
