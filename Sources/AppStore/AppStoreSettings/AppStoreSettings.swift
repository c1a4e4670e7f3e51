package import AppStoreModel
package import AppStoreVerification
package import Configuration
internal import Cryptography
internal import FoundationEssentials
internal import Records

/// Settings for every executable that verifies Apple's signatures. Names and defaults are a contract.
package enum AppStoreSettings {
    package static let apps = Setting(
        "apps", ValueKind.list(of: ConfiguredApp.kind),
        help: "Apps whose notifications are accepted: bundle id and Apple's app id, from App Store Connect.",
        example: "com.example.app:1234567890")
    /// An optional variant of ``apps`` for tools that also work without it.
    package static let appsIfAny = Setting(
        "apps", ValueKind.list(of: ConfiguredApp.kind), default: [],
        help: "Apps whose notifications are accepted: bundle id and Apple's app id, from App Store Connect.",
        example: "com.example.app:1234567890")
    package static let environments = Setting(
        "apps.<bundleId>.environments", ValueKind.list(of: .oneOf(AppStoreEnvironment.published, text: \.rawValue)),
        default: AppStoreEnvironment.published,
        help: "Accepted environments for one app. Sandbox notifications always go to the sandbox topic.",
        example: "Production")
    package static let sharedSecretFile = Setting.readableFile(
        "apps.<bundleId>.shared.secret.file",
        help: """
            File with the app's shared secrets from App Store Connect, one per line, readable by this service only; \
            enables version 1 and older notifications for the app. It is reloaded when it changes.
            """, example: "/run/secrets/shared-secrets"
    ).optional
    package static let refunds = Setting<RefundHandling>.oneOf(
        "apps.<bundleId>.refunds", default: .on,
        help: "off makes sluice-refunds skip the refund requests for one app, so that another system can answer them.")
    package static let refundRoundGap = Setting.duration(
        "refunds.round.gap", default: .seconds(72 * 3_600), in: .seconds(3_600)...(.seconds(60 * 86_400)),
        help: """
            Interval after which another request about the same transaction starts a new round, with its own decision \
            and answer. Apple repeats a request for a few hours and rarely reports a declined refund.
            """)
    package static let roots = Setting.readableFiles(
        "root.certificates", help: "Root certificates, PEM or DER, instead of the built-in Apple Root CA - G3.",
        example: "/etc/sluice/root.pem"
    ).optional
    package static let revocation = Setting<RevocationPolicy>.oneOf(
        "revocation", default: .soft,
        help: """
            OCSP policy: while the status of a certificate is unknown, strict responds 503 and soft accepts and raises \
            an alert; off sends no OCSP requests. A revoked certificate is always rejected.
            """)
}

/// Whether `sluice-refunds` handles an app's refund requests.
package enum RefundHandling: String, Sendable, CaseIterable {
    case on
    case off
}

extension AppStoreSettings {
    /// Returns whether `sluice-refunds` handles an app's refund requests.
    package static func handlesRefunds(_ app: BundleId, _ configuration: Configuration) -> Bool {
        configuration.value(refunds, for: app.rawValue) == .on
    }

    /// Returns the apps in `apps` with their per-app settings, or an empty array if ``appsIfAny`` is used and not set.
    package static func apps(_ configuration: Configuration) throws(ConfigurationError) -> [AppIdentity] {
        let configured = configuration[Self.apps]
        var seen: Set<String> = []
        for app in configured where !seen.insert(app.bundleId).inserted {
            throw configuration.error(Self.apps.key, "\(app.bundleId) is listed twice.")
        }
        return configured.map { app in
            let environments = configuration.value(Self.environments, for: app.bundleId)
            return AppIdentity(
                bundleId: BundleId(app.bundleId), appAppleId: AppAppleId(app.appAppleId),
                environments: Set(environments))
        }
    }

    /// Returns, in DER, all certificates in the files listed in `root.certificates`, or Apple's root if the setting is
    /// not set.
    package static func roots(_ configuration: Configuration) throws(ConfigurationError) -> [[UInt8]] {
        guard let files = configuration[Self.roots] else { return [AppleRootCertificate.g3] }
        var roots: [[UInt8]] = []
        for file in files {
            guard let bytes = FileManager.default.contents(atPath: file) else {
                throw configuration.error(Self.roots.key, "\(file) cannot be read.")
            }
            do {
                roots += try Certificate.certificates(encoded: Array(bytes)).map(\.der)
            } catch {
                throw configuration.error(
                    Self.roots.key,
                    "\(file) contains no PEM or DER certificate: \(error.message). Use a file with certificates.")
            }
        }
        return roots
    }
}

extension AppStoreSettings {
    /// An app that receives version 1 or older notifications.
    package struct LegacyApp: Sendable {
        package let bundleId: BundleId
        package let path: String

        package init(bundleId: BundleId, path: String) {
            self.bundleId = bundleId
            self.path = path
        }

        /// The name of the setting that contains ``path``.
        package var setting: String { "apps.\(bundleId.rawValue).shared.secret.file" }
    }

    /// Returns the apps that have a shared secret file. Each file must contain at least one secret.
    package static func legacyApps(_ configuration: Configuration) throws(ConfigurationError) -> [LegacyApp] {
        var legacy: [LegacyApp] = []
        for app in try apps(configuration) {
            guard let path = configuration.value(sharedSecretFile, for: app.bundleId.rawValue) else { continue }
            let found = LegacyApp(bundleId: app.bundleId, path: path)
            do throws(FileError) {
                _ = try secrets(of: found, now: 0)
            } catch {
                throw configuration.error(
                    found.setting,
                    "\(path): \(error.message). Write the app's shared secret from App Store Connect into the file."
                )
            }
            legacy.append(found)
        }
        return legacy
    }

    /// Loads an app's secrets. They are reloaded when the file changes.
    /// - Parameter now: the current time in monotonic nanoseconds.
    package static func secrets(
        of app: LegacyApp, now: UInt64
    ) throws(FileError) -> ReloadedFile<SharedSecrets> {
        try ReloadedFile(
            path: app.path, limit: SharedSecrets.maximumFileBytes, now: now,
            digest: { SHA256.digest(of: $0).bytes }, make: SharedSecrets.init(lines:))
    }
}
