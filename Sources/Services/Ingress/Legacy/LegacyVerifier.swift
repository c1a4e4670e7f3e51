internal import AppStoreModel
internal import AppStoreSettings
internal import AppStoreVerification
internal import Bytes
internal import Configuration
internal import Cryptography
internal import JSON
internal import LegacyNotifications
internal import Lifecycle
internal import Telemetry

/// Why nothing of a version 1 or older body is stored.
enum LegacyRefusal: Sendable {
    /// No app, or not the one that it names, has a shared secret.
    case disabled
    /// No password that is a text, or not the app's.
    case password
    /// An app that is not configured, or not for this environment.
    case audience
}

enum LegacyVerdict {
    /// The right password, for a configured app.
    /// - Parameter isUnexpectedSandbox: from the sandbox, for an app configured without it.
    case accepted(LegacyNotification, isUnexpectedSandbox: Bool)
    /// The right password, but a part that cannot be read, or no word on which of several apps it is for. `redacted` is the body less what must not be kept.
    case nonconforming(detail: String, app: BundleId?, AppStoreEnvironment?, redacted: [UInt8])
    /// - Parameter app: the app of ours that the body names, where it names one.
    case refused(LegacyRefusal, app: BundleId?)
}

/// Decides whether a version 1 or older body is from someone who knows the app's shared secret.
///
/// The secret is all the proof there is: it does not cover the content, so whoever learns it can forge any. What follows
/// from such a notification is therefore marked with its trust.
final class LegacyVerifier: Sendable {
    private let apps: [BundleId: AppIdentity]
    /// In the order of the configuration.
    private let secrets: [Secrets]
    private let logger: Logger

    private struct Secrets {
        let app: AppIdentity
        let setting: String
        let file: ReloadedFile<SharedSecrets>
    }

    /// - Parameters:
    ///   - legacyApps: those of `apps` that send such notifications.
    ///   - now: monotonic nanoseconds.
    /// - Throws: ``StartupError`` for a file without secrets.
    init(
        apps: [AppIdentity], legacyApps: [AppStoreSettings.LegacyApp], logger: Logger, now: UInt64
    ) throws(StartupError) {
        self.apps = Dictionary(apps.map { ($0.bundleId, $0) }, uniquingKeysWith: { first, _ in first })
        self.logger = logger
        var secrets: [Secrets] = []
        for legacy in legacyApps {
            guard let app = self.apps[legacy.bundleId] else { continue }
            do throws(FileProblem) {
                let file = try AppStoreSettings.secrets(of: legacy, now: now)
                secrets.append(Secrets(app: app, setting: legacy.setting, file: file))
            } catch {
                throw StartupError(
                    "\(legacy.path): \(error.message)", setting: legacy.setting,
                    fix: "Write the shared secret of App Store Connect into it", exitCode: .configuration)
            }
        }
        self.secrets = secrets
    }

    /// Nothing but the body decides: a wrong password costs no other body anything, since all apps' bodies come from the
    /// same networks, and Apple keeps no history of them. A secret has too many digits to be guessed at any rate.
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
                detail: "bid is no text", app: nil, body.environment, redacted: body.redacted())
        }
        guard found.count == 1 else {
            return .nonconforming(
                detail: "several apps have this shared secret, and there is no bid", app: nil, body.environment,
                redacted: body.redacted())
        }
        return read(document, body, for: app, receivedAt: receivedAt)
    }

    private func read(
        _ document: JSONDocument, _ body: LegacyBody, for app: AppIdentity, receivedAt: AppStoreInstant
    ) -> LegacyVerdict {
        do throws(LegacyFault) {
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

    /// The apps that have this secret, of the one that the body names or of all: the account's own secret is that of
    /// several. All are compared.
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
            logger.info("shared secrets read again", [LogField(.bundleId, known.app.bundleId.rawValue)])
        case .refused(let problem):
            logger.warning(
                "shared secrets kept as they were: the file cannot be used",
                [
                    LogField(.bundleId, known.app.bundleId.rawValue), LogField(.setting, known.setting),
                    LogField(.detail, "\(known.file.path): \(problem.message)"),
                ])
        }
    }

    /// The SHA-256 of the password; nil where it is no text of a length that a secret can have.
    private static func passwordDigest(of body: LegacyBody) -> [UInt8]? {
        guard let password = body.password, password.range.count <= longestPassword, let text = password.textBytes
        else { return nil }
        defer { text.wipe() }
        return text.isEmpty ? nil : SHA256.digest(of: text).bytes
    }

    /// Bytes with quotes and escapes; a secret has 32.
    private static let longestPassword = 2048
}
