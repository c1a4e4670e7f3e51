internal import ArchiveKeys
internal import ArchiveLog
internal import Configuration
internal import Lifecycle
internal import ObjectStorage
internal import TransparencyLog

/// The second store for checkpoints (`archive.anchor.url`). Commands only read from it.
struct AnchorStore: Sendable {
    private static let readsAtOnce = 16

    private let store: any ObjectStore

    /// - Throws: a ``StartupError`` with exit code 6 if no anchor is configured or the anchor cannot be opened.
    init(_ configuration: Configuration) throws(StartupError) {
        let key = ArchivePlace.anchorURL.key
        let opened: (any ObjectStore)?
        do throws(ConfigurationError) {
            opened = try ArchivePlace.openAnchor(configuration, creating: false)
        } catch {
            throw StartupError(
                error.message, setting: key, fix: "Correct the setting, or its credentials",
                exitCode: .archiveUnreadable)
        }
        guard let opened else {
            throw StartupError(
                "no second store is configured", setting: key, fix: "Use the same value as for sluice-archive",
                exitCode: .archiveUnreadable)
        }
        store = opened
    }

    /// Returns the newest anchored checkpoint of a log, without verifying its signatures, or nil if there is none.
    func checkpoint(of names: LogNames) async throws -> VerifiedCheckpoint? {
        do throws(ArchiveError) {
            return try await LogReader(store, names: names, verifiers: nil).checkpoint()
        } catch { throw Self.unreadable(error) }
    }

    /// Adds every checkpoint of every log: the newest one and all copies. A client with write access can replace the
    /// newest object with an older checkpoint, but the bucket's object lock protects the copies.
    func collect(into anchors: inout AnchoredCheckpoints) async throws {
        let checkpointLog = try LogNames.checkpointLog()
        do throws(ArchiveError) {
            let logs = try await LogReader.logs(in: store)
            for names in [checkpointLog] + logs {
                let objects = try await LogReader(store, names: names, verifiers: nil).checkpointNames()
                try await collect(objects, into: &anchors)
            }
        } catch { throw Self.unreadable(error) }
    }

    /// Reads objects concurrently, because each read takes milliseconds and there may be one copy per minute for
    /// several years.
    private func collect(
        _ objects: [ObjectName], into anchors: inout AnchoredCheckpoints
    ) async throws(ArchiveError) {
        let results = await withTaskGroup(of: Result<[UInt8]?, ArchiveError>.self) { [anchors] group in
            var (result, failure) = (anchors, ArchiveError?.none)
            var rest = objects[...]
            func next() {
                guard let name = rest.popFirst() else { return }
                group.addTask { [store] in await Self.read(name, in: store) }
            }
            for _ in 0..<Self.readsAtOnce { next() }
            while let read = await group.next() {
                switch read {
                case .success(let bytes): if let bytes { result.add(bytes: bytes) }
                case .failure(let error): failure = error
                }
                if failure == nil { next() }
            }
            return (result, failure)
        }
        if let failure = results.1 { throw failure }
        anchors = results.0
    }

    private static func read(_ name: ObjectName, in store: any ObjectStore) async -> Result<[UInt8]?, ArchiveError> {
        do throws(ObjectStoreError) {
            return .success(try await store.read(name)?.bytes)
        } catch { return .failure(ArchiveError(.storage, error.message, object: name)) }
    }

    private static func unreadable(_ error: ArchiveError) -> StartupError {
        StartupError(
            "the second store: \(error)", setting: ArchivePlace.anchorURL.key, fix: "Check that it is reachable",
            exitCode: .archiveUnreadable)
    }
}
