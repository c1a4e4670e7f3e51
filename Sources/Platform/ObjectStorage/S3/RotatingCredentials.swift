package import HTTPClient
internal import Synchronization

/// The current AWS key: renewed before it expires, and kept while it cannot be renewed.
package actor RotatingCredentials {
    /// Milliseconds before its expiry at which a key is renewed, as in AWS's own libraries.
    private static let margin: Int64 = 300_000
    /// Milliseconds after which a key without expiry is read again, because its file may have changed.
    private static let look: Int64 = 60_000

    private let fetch: @Sendable () async throws(CredentialFailure) -> AWSCredentials.Key
    private let now: @Sendable () -> Int64
    private let notice: @Sendable (String) -> Void
    private var held: AWSCredentials.Key?
    /// When to renew the key, in milliseconds since 1970.
    private var due: Int64 = .min
    private var running: Task<Result<AWSCredentials.Key, CredentialFailure>, Never>?

    /// - Parameters:
    ///   - now: milliseconds since 1970.
    ///   - notice: receives a message when a key could not be renewed and is kept.
    ///   - fetch: obtains a key.
    package init(
        now: @escaping @Sendable () -> Int64, notice: @escaping @Sendable (String) -> Void = { _ in },
        fetch: @escaping @Sendable () async throws(CredentialFailure) -> AWSCredentials.Key
    ) {
        self.now = now
        self.notice = notice
        self.fetch = fetch
    }

    /// - Throws: ``ObjectStoreError``: `denied` when there is no key, `unavailable` when a retry may succeed.
    package func current() async throws(ObjectStoreError) -> S3Credentials {
        let time = now()
        if let held, time < due { return held.key }
        // Concurrent callers share one request; each of them awaits it below.
        let task =
            running
            ?? Task { [fetch] in
                do throws(CredentialFailure) { return .success(try await fetch()) } catch { return .failure(error) }
            }
        running = task
        let result = await task.value
        running = nil
        switch result {
        case .success(let key):
            held = key
            due =
                key.expiry.map { max(time + 1_000, min($0 - Self.margin, time + ($0 - time) / 2)) } ?? time + Self.look
            return key.key
        case .failure(let failure):
            guard let held, held.expiry.map({ time < $0 }) ?? true else {
                throw ObjectStoreError(failure.isRefusal ? .denied : .unavailable, failure.message)
            }
            // Do not retry with every request.
            due = time + 10_000
            notice("the key of AWS is not renewed: \(failure.message)")
            return held.key
        }
    }
}

/// A client that starts its thread with the first request, because configurations are also read by commands that send
/// none.
package final class LazyClient: Sendable {
    private let configuration: HTTPClient.Configuration
    private let client = Mutex<HTTPClient?>(nil)

    package init(_ configuration: HTTPClient.Configuration) { self.configuration = configuration }

    package var value: HTTPClient {
        client.withLock { client in
            let made = client ?? HTTPClient(configuration)
            client = made
            return made
        }
    }
}
