package import AppStoreModel
internal import Cryptography
package import Primitives
internal import Synchronization

/// Creates and caches one token per app. Tokens are created on demand, reused for a few minutes, and replaced when the
/// key file changes.
package final class BearerTokens: Sendable {
    /// The age at which a token is replaced, well before expiry so that it is still valid when the request arrives.
    private static let useSeconds: Int64 = 180
    /// The minimum interval between checks for changes to a key file.
    private static let lookMilliseconds: Int64 = 5_000

    private struct KeyState {
        var file: SigningKeyFile
        var lookedAt: Int64?
        /// The number of times the key has been read from the file.
        var generation = 0
    }

    private struct CachedToken {
        let token: BearerToken
        let generation: Int
    }

    private struct State {
        var keys: [String: KeyState] = [:]
        var tokens: [BundleId: CachedToken] = [:]
    }

    private let credentials: [BundleId: APICredentials]
    private let clocks: Clocks
    private let report: @Sendable (APIEvent) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - credentials: the credentials for each app.
    ///   - report: called when a key is read or a key file cannot be used.
    package init(
        credentials: [BundleId: APICredentials], clocks: Clocks = .system,
        report: @escaping @Sendable (APIEvent) -> Void = { _ in }
    ) {
        self.credentials = credentials
        self.clocks = clocks
        self.report = report
    }

    /// Returns a valid token for an app.
    ///
    /// - Throws: an ``APIError`` with kind `noKey` if the app has no usable key.
    func token(for bundleId: BundleId) throws(APIError) -> BearerToken {
        guard let credentials = credentials[bundleId] else {
            throw APIError(
                kind: .noKey, message: "no App Store Server API key is configured for \(bundleId)", isRetriable: false,
                fix: "set appstore.api.issuer.id, appstore.api.key.id and appstore.api.key.file")
        }
        let now = clocks.wallMilliseconds() / 1000
        let monotonic = clocks.monotonicMilliseconds()
        let (result, event) = state.withLock { state in
            Self.token(for: bundleId, credentials, in: &state, now: now, monotonic: monotonic)
        }
        if let event { report(event) }
        return try result.get()
    }

    /// Discards a token that Apple rejected. The next request for a token checks the key file again.
    func discard(_ token: BearerToken, of bundleId: BundleId) {
        guard let credentials = credentials[bundleId] else { return }
        state.withLock { state in
            // Another request may already have replaced the token.
            guard let cached = state.tokens[bundleId], cached.token.isSame(as: token) else { return }
            state.tokens[bundleId] = nil
            state.keys[credentials.keyFile]?.lookedAt = nil
        }
    }

    private static func token(
        for bundleId: BundleId, _ credentials: APICredentials, in state: inout State, now: Int64, monotonic: Int64
    ) -> (Result<BearerToken, APIError>, APIEvent?) {
        let path = credentials.keyFile
        var key = state.keys[path] ?? KeyState(file: SigningKeyFile(path: path))
        var event: APIEvent?
        if key.lookedAt.map({ monotonic - $0 >= lookMilliseconds }) ?? true {
            key.lookedAt = monotonic
            switch key.file.refresh() {
            case .unchanged: break
            case .read:
                key.generation += 1
                event = .keyRead(file: path)
            case .unusable(let message): event = .keyUnusable(file: path, message: message)
            }
        }
        state.keys[path] = key
        // If the clock was set back, the cached token is dated in the future and Apple would reject it.
        if let cached = state.tokens[bundleId], cached.generation == key.generation,
            (0..<useSeconds).contains(now - cached.token.issuedAt)
        {
            return (.success(cached.token), event)
        }
        guard let signingKey = key.file.key else {
            return (.failure(unusable(path)), event)
        }
        do throws(CryptographyError) {
            let token = try BearerToken(
                issuerId: credentials.issuerId, keyId: key.file.keyId ?? credentials.keyId, key: signingKey,
                bundleId: bundleId, now: now)
            state.tokens[bundleId] = CachedToken(token: token, generation: key.generation)
            return (.success(token), event)
        } catch {
            let failure = APIError(
                kind: .noKey, message: "failed to sign the App Store Server API token: \(error.message)",
                isRetriable: true)
            return (.failure(failure), event)
        }
    }

    private static func unusable(_ path: String) -> APIError {
        APIError(
            kind: .noKey, message: "the App Store Server API key \(path) cannot be used", isRetriable: true,
            fix: "put App Store Connect's .p8 file at that path, readable by this process; it is reloaded automatically"
        )
    }
}
