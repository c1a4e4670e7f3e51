internal import Configuration
internal import Telemetry
internal import Time

/// The keys of `http.keys.file`, as the file is now: a change counts within a second, without a restart. A file that
/// cannot be read, or holds no list of keys, changes nothing and is logged.
final class AccessKeys: Sendable {
    /// For answers with status 401.
    static let challenge = "Bearer realm=\"sluice-entitlements\""
    private static let maximumBytes = 64 * 1024
    private static let scheme = "bearer "

    private let file: ReloadedFile<AccessKeyList>
    private let clocks: Clocks
    private let log: RateLimitedLogger

    init(_ file: ReloadedFile<AccessKeyList>, clocks: Clocks, log: RateLimitedLogger) {
        self.file = file
        self.clocks = clocks
        self.log = log
    }

    /// Whose the key of an `Authorization` field is; nil for none, another scheme or an unknown key.
    func client(in field: String?) -> AccessKeyList.Client? {
        guard let field, field.prefix(Self.scheme.count).lowercased() == Self.scheme else { return nil }
        let key = field.utf8.dropFirst(Self.scheme.count).drop { $0 == UInt8(ascii: " ") }
        return current().client(of: Array(key))
    }

    private func current() -> AccessKeyList {
        let (list, change) = file.current(now: clocks.monotonicNanoseconds())
        switch change {
        case .read: log.log(.info, key: "keys", "keys were read again", [LogField(.path, file.path)])
        case .refused(let problem):
            log.log(
                .error, key: "keys", "keys stay as they were",
                [LogField(.path, file.path), LogField(.error, problem.message)]
            )
        case nil: break
        }
        return list
    }
}

extension AccessKeys {
    /// Nil without `http.keys.file`, for a listener that this machine alone reaches.
    convenience init?(
        _ configuration: Configuration, clocks: Clocks, log: RateLimitedLogger
    ) throws(ConfigurationError) {
        guard let file = try Self.file(configuration, clocks: clocks) else { return nil }
        self.init(file, clocks: clocks, log: log)
    }

    /// Nil without `http.keys.file`.
    ///
    /// - Throws: a `ConfigurationError` for a file without keys, and for an address that others reach without a file.
    static func file(
        _ configuration: Configuration, clocks: Clocks
    ) throws(ConfigurationError) -> ReloadedFile<AccessKeyList>? {
        guard let path = configuration[EntitlementsSettings.keys] else {
            let host = configuration[EntitlementsSettings.host]
            guard isLoopback(host) else {
                throw configuration.error(
                    EntitlementsSettings.keys.key,
                    """
                    not set, while \(EntitlementsSettings.host.key)=\(host) lets other machines ask. Name a file with \
                    keys, or listen on 127.0.0.1.
                    """)
            }
            return nil
        }
        do throws(FileProblem) {
            return try file(path, clocks: clocks)
        } catch {
            throw configuration.error(EntitlementsSettings.keys.key, "\(path): \(error.message).")
        }
    }

    /// - Throws: why it holds no keys, which are not repeated.
    static func file(_ path: String, clocks: Clocks) throws(FileProblem) -> ReloadedFile<AccessKeyList> {
        try ReloadedFile(
            path: path, limit: maximumBytes, now: clocks.monotonicNanoseconds(), make: AccessKeyList.init(lines:))
    }

    /// Whether only this machine reaches an address: 127.0.0.0/8, ::1, or the name that listeners know for it.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
