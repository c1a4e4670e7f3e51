internal import Configuration
internal import Primitives
internal import Telemetry

/// The current keys in `http.keys.file`. Changes take effect within a second, without a restart. If the file is
/// unreadable or invalid, an error is logged and the previous keys remain in effect.
final class AccessKeys: Sendable {
    /// The challenge in responses with status 401.
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

    /// Returns the client identified by an `Authorization` field, or nil if the field is absent, the scheme is not
    /// `Bearer`, or the key is unknown.
    func client(in field: String?) -> AccessKeyList.Client? {
        guard let field, field.prefix(Self.scheme.count).lowercased() == Self.scheme else { return nil }
        let key = field.utf8.dropFirst(Self.scheme.count).drop { $0 == UInt8(ascii: " ") }
        return current().client(of: Array(key))
    }

    private func current() -> AccessKeyList {
        let (list, change) = file.current(now: clocks.monotonicNanoseconds())
        switch change {
        case .read: log.log(.info, key: "keys", "keys reloaded", [LogField(.path, file.path)])
        case .refused(let problem):
            log.log(
                .error, key: "keys", "failed to reload the keys; keeping the previous keys",
                [LogField(.path, file.path), LogField(.error, problem.message)]
            )
        case nil: break
        }
        return list
    }
}

extension AccessKeys {
    /// Returns nil if `http.keys.file` is not set, which is allowed only for a loopback listener.
    convenience init?(
        _ configuration: Configuration, clocks: Clocks, log: RateLimitedLogger
    ) throws(ConfigurationError) {
        guard let file = try Self.file(configuration, clocks: clocks) else { return nil }
        self.init(file, clocks: clocks, log: log)
    }

    /// Opens the file named by `http.keys.file`, or returns nil if the setting is absent.
    ///
    /// - Throws: a `ConfigurationError` if the file is invalid, or if there is no file and the address is reachable
    ///   from other machines.
    static func file(
        _ configuration: Configuration, clocks: Clocks
    ) throws(ConfigurationError) -> ReloadedFile<AccessKeyList>? {
        guard let path = configuration[EntitlementsSettings.keys] else {
            let host = configuration[EntitlementsSettings.host]
            guard isLoopback(host) else {
                throw configuration.error(
                    EntitlementsSettings.keys.key,
                    """
                    not set, but \(EntitlementsSettings.host.key)=\(host) accepts connections from other machines. \
                    Set it to a key file, or listen on 127.0.0.1.
                    """)
            }
            return nil
        }
        do throws(FileError) {
            return try file(path, clocks: clocks)
        } catch {
            throw configuration.error(EntitlementsSettings.keys.key, "\(path): \(error.message).")
        }
    }

    /// - Throws: a `FileError` that explains why the file is not a valid list; its message contains no key.
    static func file(_ path: String, clocks: Clocks) throws(FileError) -> ReloadedFile<AccessKeyList> {
        try ReloadedFile(
            path: path, limit: maximumBytes, now: clocks.monotonicNanoseconds(), make: AccessKeyList.init(lines:))
    }

    /// Returns whether an address is reachable only from this machine: 127.0.0.0/8, ::1 or localhost.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
