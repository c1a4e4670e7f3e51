internal import Synchronization

/// Verifies once that a service honors conditional writes. Without them, a second writer could overwrite the first
/// writer's objects.
final class ConditionsProbe: Sendable {
    /// The name of the probe object, which is stored next to the logs and never deleted.
    static let name = "conditional-writes"

    private let isDone = Mutex(false)

    func check(_ store: S3Store) async throws(ObjectStoreError) {
        if isDone.withLock({ $0 }) { return }
        let name = try ObjectName(Self.name)
        let bytes = Array("This object shows that the service heeds If-None-Match and If-Match.\n".utf8)
        // The writes that the service must refuse have other bytes than the object. If a refused write follows a
        // transient failure, the store reports success if the object has exactly the bytes of the write.
        let refused = Array("The service ignored If-None-Match or If-Match when it stored this object.\n".utf8)
        // If the first attempt creates the object, the second one checks that the service refuses to create it again.
        for attempt in 0..<2 {
            do throws(ObjectStoreError) {
                try await store.create(name, attempt == 0 ? bytes : refused)
                if attempt > 0 { throw ignored(store, "If-None-Match") }
            } catch {
                guard error.code == .exists else { throw error }
                break
            }
        }
        do throws(ObjectStoreError) {
            let other = ObjectVersion(text: "\"00000000000000000000000000000000\"")
            _ = try await store.replace(name, refused, expected: other)
            throw ignored(store, "If-Match")
        } catch {
            guard error.code == .changed else { throw error }
        }
        isDone.withLock { $0 = true }
    }

    private func ignored(_ store: S3Store, _ condition: String) -> ObjectStoreError {
        ObjectStoreError(
            .failed,
            """
            \(store.client.url(nil)) cannot be written: the service ignores \(condition), so two writers could overwrite \
            each other; use a service that supports conditional writes, or a directory
            """)
    }
}
