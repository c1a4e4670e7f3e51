package import HTTPClient
internal import Synchronization

/// The current AWS key. It is renewed before it expires; if that fails, the previous key remains in use.
package actor RotatingCredentials {
    /// How long before its expiry a key is renewed, in milliseconds, as in AWS's libraries.
    private static let margin: Int64 = 300_000
    /// The interval, in milliseconds, at which a key without an expiry is reread, because its file may have changed.
    private static let look: Int64 = 60_000

    private let fetch: @Sendable () async throws(CredentialError) -> AWSCredentials.Key
    private let now: @Sendable () -> Int64
    private let notice: @Sendable (String) -> Void
    private var held: AWSCredentials.Key?
    /// The time at which to renew the key, in milliseconds since 1970.
    private var due: Int64 = .min
    /// The time at which `due` was determined, in milliseconds since 1970.
    private var scheduledAt: Int64 = .min
    private var running: Task<Result<AWSCredentials.Key, CredentialError>, Never>?

    /// - Parameters:
    ///   - now: returns the current time in milliseconds since 1970.
    ///   - notice: receives a message if the key cannot be renewed and the previous key remains in use.
    ///   - fetch: obtains a key.
    package init(
        now: @escaping @Sendable () -> Int64, notice: @escaping @Sendable (String) -> Void = { _ in },
        fetch: @escaping @Sendable () async throws(CredentialError) -> AWSCredentials.Key
    ) {
        self.now = now
        self.notice = notice
        self.fetch = fetch
    }

    /// - Throws: ``ObjectStoreError``: `denied` if there is no key, `unavailable` if a retry may succeed.
    package func current() async throws(ObjectStoreError) -> S3Credentials {
        let time = now()
        // If the clock was set back, `due` may be days ahead, and the key may expire first.
        if let held, time < due, time >= scheduledAt { return held.key }
        // Concurrent callers share one request and await it below.
        let task =
            running
            ?? Task { [fetch] in
                do throws(CredentialError) { return .success(try await fetch()) } catch { return .failure(error) }
            }
        running = task
        let result = await task.value
        running = nil
        scheduledAt = time
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
            // Request the key again after ten seconds, rather than for each S3 request.
            due = time + 10_000
            notice("failed to renew the AWS key; keeping the previous key: \(failure.message)")
            return held.key
        }
    }
}

/// A client that starts its thread only for the first request, because some commands read the configuration but send no
/// requests.
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
