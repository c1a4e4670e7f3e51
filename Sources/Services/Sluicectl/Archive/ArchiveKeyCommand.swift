internal import ArchiveKeys
internal import ArchiveLog
internal import CommandLine
internal import Configuration
internal import Cryptography
internal import Glibc
internal import JSON
internal import Lifecycle
internal import ObjectStorage
internal import TransparencyLog

/// `sluicectl archive key`: creates keys, and prints public keys.
struct ArchiveKeyCommand {
    let configuration: Configuration

    /// Creates a key that signs checkpoints.
    func signing(_ path: String, _ console: Console) async throws -> ExitCode {
        let origin = configuration[ArchivePlace.origin]
        let key = try PrivateKey.generate(.ed25519)
        // The name is validated before the file is created, so that an invalid name does not leave a file behind.
        let verifier = try NoteSigner(name: origin, key: key).verifier
        try NewSecretFile.write(try key.pem(), to: path)
        await write([verifier.text], to: console)
        console.complain("created \(path); give the line above to everyone who verifies the archive")
        return .ok
    }

    /// Creates a key-encryption key.
    func encryption(_ path: String, _ console: Console) async throws -> ExitCode {
        let text = try randomKey(byteCount: 32).withUnsafeBytes { HexText.encode($0) } + "\n"
        try NewSecretFile.write(Array(text.utf8), to: path)
        console.complain(
            "created \(path); keep a copy apart from the key store and its backups, because no record can be read without this key"
        )
        return .ok
    }

    /// Prints the public keys.
    ///
    /// - Parameter log: `TOPIC/PARTITION` or `checkpoint-log`, to print the keys that verify this log's checkpoints,
    ///   each with the name used in the signatures; or empty, to print the keys with the archive's name.
    func show(_ log: String, _ console: Console) async throws -> ExitCode {
        let keys = try ArchivePlace.signer(configuration).verifiers()
        guard !log.isEmpty else {
            await write(keys.verifiers.map(\.text), to: console)
            return .ok
        }
        guard let names = Self.names(log) else {
            throw StartupError(
                "\(PlainText.printable(log)) is not a log",
                fix: "Specify TOPIC/PARTITION, such as appstore.notifications.production/3, or checkpoint-log",
                exitCode: .usage)
        }
        let origin = names.origin(archive: configuration[ArchivePlace.origin])
        await write(keys.keys(of: origin).map(\.text), to: console)
        return .ok
    }

    private static func names(_ log: String) -> LogNames? {
        guard let folder = try? ObjectName(log), let checkpointLog = try? LogNames.checkpointLog() else { return nil }
        return folder == checkpointLog.prefix ? checkpointLog : LogNames(folder: folder)
    }

    private func write(_ keys: [String], to console: Console) async {
        await console.write(
            configuration, text: keys.map { "\($0)\n" }.joined(),
            json: [OutputName.keys: .array(keys.map { .string($0) })])
    }
}

/// A file that contains a secret. It is created once and readable only by its owner.
enum NewSecretFile {
    /// - Throws: a ``StartupError`` if the file already exists or cannot be created.
    static func write(_ bytes: [UInt8], to path: String) throws(StartupError) {
        let name = PlainText.printable(path)
        guard !path.utf8.contains(0) else {
            throw StartupError("the path contains a NUL byte", fix: "Specify a different file", exitCode: .usage)
        }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            guard errno == EEXIST else { throw failure(name) }
            throw StartupError("\(name) exists, and keys are never overwritten", fix: "Specify a different file")
        }
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = failure(name)
                unlink(path)
                throw error
            }
            written += count
        }
        guard fsync(descriptor) == 0 else { throw failure(name) }
    }

    private static func failure(_ name: String) -> StartupError {
        StartupError("\(name) cannot be written: \(String(cString: strerror(errno)))", fix: "Specify a different file")
    }
}
