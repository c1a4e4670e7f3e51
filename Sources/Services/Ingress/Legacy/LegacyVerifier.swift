internal import AppStoreModel
internal import AppStoreSettings
internal import AppStoreVerification
internal import Configuration
internal import Cryptography
internal import JSON
internal import LegacyNotifications
internal import Lifecycle
internal import Primitives
internal import Telemetry

/// The reason why a body of version 1 or earlier is not stored.
enum LegacyRefusal: Sendable {
    /// No app has a shared secret, or the app named in the body has none.
    case disabled
    /// The password is missing, not a string, or not the app's.
    case password
    /// The app is not configured, or not configured for this environment.
    case audience
}

enum LegacyVerdict {
    /// The password is correct, and the app is configured.
    /// - Parameter isUnexpectedSandbox: whether the notification is from the sandbox but the app is configured without
    ///   it.
    case accepted(LegacyNotification, isUnexpectedSandbox: Bool)
    /// The password is correct, but part of the body is unreadable, or several apps share the secret and the body names
    /// none of them. `redacted` is the body without the parts that must not be stored.
    case nonconforming(detail: String, app: BundleId?, AppStoreEnvironment?, redacted: [UInt8])
    /// - Parameter app: the configured app named in the body, if any.
    case refused(LegacyRefusal, app: BundleId?)
}

/// Decides whether a body of version 1 or earlier comes from a client with the app's shared secret.
///
/// The secret is the only proof and does not cover the content, so anyone who obtains it can forge any body. Records
/// therefore include how the notification was authenticated.
final class LegacyVerifier: Sendable {
    private let apps: [BundleId: AppIdentity]
    /// The secrets, in configuration order.
    private let secrets: [Secrets]
    private let logger: Logger

    private struct Secrets {
        let app: AppIdentity
        let setting: String
        let file: ReloadedFile<SharedSecrets>
    }

    /// - Parameters:
    ///   - legacyApps: the apps in `apps` that send notifications of version 1 or earlier.
    ///   - now: the time in monotonic nanoseconds.
    /// - Throws: a ``StartupError`` if a file contains no secrets.
    init(
        apps: [AppIdentity], legacyApps: [AppStoreSettings.LegacyApp], logger: Logger, now: UInt64
    ) throws(StartupError) {
        self.apps = Dictionary(apps.map { ($0.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
        self.logger = logger
        var secrets: [Secrets] = []
        for legacy in legacyApps {
            guard let app = self.apps[legacy.bundleId] else { continue }
            do throws(FileError) {
                let file = try AppStoreSettings.secrets(of: legacy, now: now)
                secrets.append(Secrets(app: app, setting: legacy.setting, file: file))
            } catch {
                throw StartupError(
                    "\(legacy.path): \(error.message)", setting: legacy.setting,
                    fix: "Write the shared secret from App Store Connect into the file", exitCode: .configuration)
            }
        }
        self.secrets = secrets
    }

    /// Verifies a body. Wrong passwords are not rate-limited: the bodies for all apps come from the same networks and
    /// Apple keeps no history of them, so a limit would lose authentic bodies. A secret is too long to be guessed, even
    /// without a rate limit.
    ///
    /// - Parameter now: monotonic nanoseconds.
    func verify(_ document: JSONDocument, receivedAt: AppStoreInstant, now: UInt64) -> LegacyVerdict {
        guard !secrets.isEmpty else { return .refused(.disabled, app: nil) }
        let body = LegacyBody(document)
        var named: BundleId?
        if case .value(let bundleId) = body.bundleId {
            guard apps[bundleId] != nil else { return .refused(.audience, app: nil) }
            guard secrets.contains(where: { $0.app.bundleId == bundleId }) else {
                return .refused(.disabled, app: bundleId)
            }
            named = bundleId
        }
        let found = Self.passwordDigest(of: body).map { apps(named, with: $0, now: now) } ?? []
        guard let app = found.first else { return .refused(.password, app: named) }
        if case .malformed = body.bundleId {
            return .nonconforming(
                detail: "bid is not a string", app: nil, body.environment, redacted: body.redacted())
        }
        guard found.count == 1 else {
            return .nonconforming(
                detail: "several apps have this shared secret, and bid is absent", app: nil, body.environment,
                redacted: body.redacted())
        }
        return read(document, body, for: app, receivedAt: receivedAt)
    }

    private func read(
        _ document: JSONDocument, _ body: LegacyBody, for app: AppIdentity, receivedAt: AppStoreInstant
    ) -> LegacyVerdict {
        do throws(LegacyError) {
            let notification = try LegacyNotification(document, bundleId: app.bundleId, receivedAt: receivedAt)
            let isExpected = app.environments.contains(notification.environment)
            guard isExpected || notification.environment == .sandbox else {
                return .refused(.audience, app: app.bundleId)
            }
            return .accepted(notification, isUnexpectedSandbox: !isExpected)
        } catch {
            switch error.outcome {
            case .forbidden: return .refused(.audience, app: app.bundleId)
            case .quarantined:
                return .nonconforming(
                    detail: error.description, app: app.bundleId, body.environment, redacted: body.redacted())
            }
        }
    }

    /// Returns the apps that have this secret: the named app, or every app that shares the account's secret. Every
    /// candidate's secret is checked, even after a match.
    private func apps(_ named: BundleId?, with digest: [UInt8], now: UInt64) -> [AppIdentity] {
        var found: [AppIdentity] = []
        for known in secrets where named == nil || known.app.bundleId == named {
            let (secrets, change) = known.file.current(now: now)
            log(change, known)
            if secrets.contain(digest: digest) { found.append(known.app) }
        }
        return found
    }

    private func log(_ change: ReloadedFile<SharedSecrets>.Change?, _ known: Secrets) {
        switch change {
        case nil: break
        case .read:
            logger.info("shared secrets reloaded", [LogField(.bundleId, known.app.bundleId.rawValue)])
        case .refused(let problem):
            logger.warning(
                "failed to reload shared secrets; keeping the previous ones",
                [
                    LogField(.bundleId, known.app.bundleId.rawValue), LogField(.setting, known.setting),
                    LogField(.detail, "\(known.file.path): \(problem.message)"),
                ])
        }
    }

    /// Returns the SHA-256 digest of the password, or nil if the password is not a string or has an implausible length.
    private static func passwordDigest(of body: LegacyBody) -> [UInt8]? {
        guard let password = body.password, password.range.count <= longestPassword, let text = password.textBytes
        else { return nil }
        defer { text.wipe() }
        return text.isEmpty ? nil : SHA256.digest(of: text).bytes
    }

    /// The maximum length of a password in bytes, including quotes and escapes. A secret is 32 bytes long.
    private static let longestPassword = 2048
}
