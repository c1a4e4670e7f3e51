internal import Configuration
internal import Foundation
internal import Synchronization
internal import Telemetry
internal import Time

/// The keys of `http.keys.file`, as the file is now: a change counts within a second, without a restart. A file that
/// cannot be read, or holds no list of keys, changes nothing and is logged.
final class AccessKeys: Sendable {
    private struct State {
        var list: AccessKeyList
        /// The bytes that the list, or a complaint, was made of.
        var read: [UInt8]
        /// Monotonic nanoseconds.
        var checkedAt: UInt64
    }

    /// For answers with status 401.
    static let challenge = "Bearer realm=\"sluice-entitlements\""
    static let maximumBytes = 64 * 1024
    private static let interval: UInt64 = 1_000_000_000
    private static let scheme = "bearer "

    private let path: String
    private let clocks: Clocks
    private let log: RateLimitedLogger
    private let state: Mutex<State>

    /// - Parameters:
    ///   - bytes: what the file held.
    ///   - list: the keys in it.
    init(path: String, _ bytes: [UInt8], _ list: AccessKeyList, clocks: Clocks, log: RateLimitedLogger) {
        self.path = path
        self.clocks = clocks
        self.log = log
        state = Mutex(State(list: list, read: bytes, checkedAt: clocks.monotonicNanoseconds()))
    }

    /// What the key of an `Authorization` field may do; nil for none, another scheme or an unknown key.
    func permission(in field: String?) -> AccessKeyList.Permission? {
        guard let field, field.prefix(Self.scheme.count).lowercased() == Self.scheme else { return nil }
        let key = field.utf8.dropFirst(Self.scheme.count).drop { $0 == UInt8(ascii: " ") }
        return current().permission(of: Array(key))
    }

    private enum Change {
        case read
        case refused(AccessKeyList.Problem)
    }

    private func current() -> AccessKeyList {
        let now = clocks.monotonicNanoseconds()
        let (list, change) = state.withLock { state -> (AccessKeyList, Change?) in
            guard now &- state.checkedAt >= Self.interval else { return (state.list, nil) }
            state.checkedAt = now
            do throws(AccessKeyList.Problem) {
                let bytes = try Self.bytes(path)
                guard bytes != state.read else { return (state.list, nil) }
                state.read = bytes
                state.list = try AccessKeyList(lines: bytes)
                return (state.list, .read)
            } catch {
                return (state.list, .refused(error))
            }
        }
        switch change {
        case .read: log.log(.info, key: "keys", "keys were read again", [LogField(.path, path)])
        case .refused(let problem):
            log.log(
                .error, key: "keys", "keys stay as they were",
                [LogField(.path, path), LogField(.error, problem.message)]
            )
        case nil: break
        }
        return list
    }

    private static func bytes(_ path: String) throws(AccessKeyList.Problem) -> [UInt8] {
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: maximumBytes + 1)
        else { throw AccessKeyList.Problem(message: "the file cannot be read") }
        guard data.count <= maximumBytes else {
            throw AccessKeyList.Problem(message: "the file has more than \(maximumBytes) bytes")
        }
        return Array(data)
    }
}

extension AccessKeys {
    /// Nil without `http.keys.file`, for a listener that this machine alone reaches.
    convenience init?(
        _ configuration: Configuration, clocks: Clocks, log: RateLimitedLogger
    ) throws(ConfigurationError) {
        guard let (path, bytes, list) = try Self.list(configuration) else { return nil }
        self.init(path: path, bytes, list, clocks: clocks, log: log)
    }

    /// What `http.keys.file` holds; nil without it.
    ///
    /// - Throws: a `ConfigurationError` for a file without keys, and for an address that others reach without a file.
    static func list(
        _ configuration: Configuration
    ) throws(ConfigurationError) -> (path: String, bytes: [UInt8], list: AccessKeyList)? {
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
        do throws(AccessKeyList.Problem) {
            let bytes = try bytes(path)
            return (path, bytes, try AccessKeyList(lines: bytes))
        } catch {
            throw configuration.error(EntitlementsSettings.keys.key, "\(path): \(error.message).")
        }
    }

    /// Whether only this machine reaches an address: 127.0.0.0/8, ::1, or the name that listeners know for it.
    static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" || host == "::1" { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }
}
