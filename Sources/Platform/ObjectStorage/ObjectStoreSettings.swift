package import Configuration
internal import Cryptography
internal import FoundationEssentials
internal import Glibc
internal import HTTPClient
package import Primitives

/// Store settings that are not part of the store's URL, such as those for access to a bucket. The names and defaults
/// are a public contract.
package struct ObjectStoreSettings: Sendable {
    package let endpoint: Setting<String?>
    package let region: Setting<String>
    package let credentialsFile: Setting<String?>
    package let trustRootsFile: Setting<String?>
    package let objectLock: Setting<S3Configuration.ObjectLock.Mode>
    package let objectLockDays: Setting<Int>

    /// - Parameters:
    ///   - prefix: the key prefix, such as `archive` for `archive.s3.endpoint` and so on.
    ///   - checksFiles: whether unreadable files are rejected when the configuration is read, rather than only by
    ///     `open`. Pass false for commands that can run without the store, possibly for users who are not allowed to
    ///     read its credentials.
    package init(prefix: String, checksFiles: Bool = true) {
        let file = { (key: String, help: String, example: String) in
            checksFiles
                ? Setting.readableFile(key, help: help, example: example)
                : Setting.string(key, help: help, example: example)
        }
        endpoint =
            Setting.string(
                prefix + ".s3.endpoint",
                help: "Scheme, host and port of the S3-compatible service. Default: Amazon S3 in the region.",
                example: "https://minio.example.com:9000"
            ).optional
        region = .string(prefix + ".s3.region", default: "us-east-1", help: "Region used to sign requests.")
        credentialsFile =
            file(
                prefix + ".s3.credentials.file",
                """
                File with aws_access_key_id = … and aws_secret_access_key = …, readable only by this service. It is \
                reread when it changes. Default: the environment, a web identity (EKS), the shared credentials file, \
                or container (ECS) or instance (EC2) metadata, in the same order as AWS's libraries.
                """, "/run/secrets/archive-s3"
            ).optional
        trustRootsFile =
            file(
                prefix + ".s3.trust.roots.file",
                "PEM file with the root certificates for a private S3-compatible service. Default: the system's.",
                "/etc/sluice/s3-roots.pem"
            ).optional
        objectLock = .oneOf(
            prefix + ".s3.object.lock", default: .off,
            help: "Object lock mode; governance and compliance require a bucket with object lock.")
        objectLockDays = .integer(
            prefix + ".s3.object.lock.days", default: 400, in: 1...36_500, help: "Number of days an object is locked.")
    }

    private static func http(
        _ configuration: Configuration, trustRootsFile: String?
    ) throws(ObjectStoreError) -> HTTPClient.Configuration {
        do throws(ConfigurationError) {
            return try HTTPClient.Configuration(configuration, trustRootsFile: trustRootsFile)
        } catch {
            throw ObjectStoreError(.invalidURL, "\(error)")
        }
    }

    package var all: [any AnySetting] {
        [endpoint, region, credentialsFile, trustRootsFile, objectLock, objectLockDays] + HTTPClientSettings.all
    }

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - configuration: a configuration with a schema that includes ``all``.
    ///   - creating: whether to create a missing directory.
    ///   - notice: receives messages for an operator, for example if a credentials file becomes unreadable.
    /// - Throws: ``ObjectStoreError``, which should prevent startup. If a setting is wrong, the message names it.
    package func open(
        _ location: ObjectStoreURL, _ configuration: Configuration, creating: Bool, clocks: Clocks = .system,
        notice: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(ObjectStoreError) -> any ObjectStore {
        switch location {
        case .directory(let path):
            return try DirectoryStore(path: path, creating: creating)
        case .bucket(let bucket, let prefix):
            var s3 = try S3Configuration(
                endpoint: configuration[endpoint] ?? "https://s3.\(configuration[region]).amazonaws.com",
                region: configuration[region], bucket: bucket, prefix: prefix)
            s3.objectLock = .init(mode: configuration[objectLock], days: configuration[objectLockDays])
            let client = HTTPClient(try Self.http(configuration, trustRootsFile: configuration[trustRootsFile]))
            return S3Store(
                s3,
                S3Client.Surroundings(
                    send: { request throws(HTTPClientError) in try await client.send(request) },
                    credentials: try credentials(location, configuration, clocks, notice), clocks: clocks))
        }
    }

    /// Checks for the errors that ``open(_:_:creating:clocks:notice:)`` throws, without creating a directory or sending
    /// a request.
    ///
    /// - Throws: the same errors as `open`.
    package func check(_ location: ObjectStoreURL, _ configuration: Configuration) throws(ObjectStoreError) {
        if case .directory(let path) = location, !FileManager.default.fileExists(atPath: path) {
            let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path
            guard FileManager.default.fileExists(atPath: parent) else {
                throw ObjectStoreError(
                    .noStore,
                    "cannot create \(path): there is no parent directory; mount the volume or create that directory")
            }
            if let obstacle = DirectoryPath.obstacle(to: path) {
                throw ObjectStoreError(.failed, "\(path) \(obstacle)")
            }
            return
        }
        _ = try open(location, configuration, creating: false)
    }

    /// Returns a credential source: the configured file, or the sources that AWS's tools use.
    private func credentials(
        _ location: ObjectStoreURL, _ configuration: Configuration, _ clocks: Clocks,
        _ notice: @escaping @Sendable (String) -> Void
    ) throws(ObjectStoreError) -> @Sendable () async throws(ObjectStoreError) -> S3Credentials {
        if let file = configuration[credentialsFile] {
            let current = try Self.credentials(file, key: credentialsFile.key, clocks, notice)
            return { () throws(ObjectStoreError) in current() }
        }
        let client = LazyClient(try Self.http(configuration, trustRootsFile: nil))
        let aws = AWSCredentials(
            region: configuration[region], file: nil, setting: credentialsFile.key,
            requests: CredentialRequests(
                send: { request throws(HTTPClientError) in try await client.value.send(request) },
                now: clocks.wallMilliseconds, variable: { name in getenv(name).map { String(cString: $0) } },
                file: { path in try? BoundedFile.read(path, limit: Self.maximumSmallFileBytes) }))
        guard aws.isConfigured else {
            throw ObjectStoreError(
                .invalidURL, "\(credentialsFile.key) is not set; \(location) needs credentials: \(aws.waysToKey)")
        }
        let rotating = RotatingCredentials(now: clocks.wallMilliseconds, notice: notice) {
            () throws(CredentialError) in try await aws.key()
        }
        return { () throws(ObjectStoreError) in try await rotating.current() }
    }

    /// The maximum size of a token file and of AWS's shared credentials file, in bytes.
    private static let maximumSmallFileBytes = 64 * 1024

    private static func credentials(
        _ path: String, key: String, _ clocks: Clocks, _ notice: @escaping @Sendable (String) -> Void
    ) throws(ObjectStoreError) -> @Sendable () -> S3Credentials {
        let file: ReloadedFile<S3Credentials>
        do throws(FileError) {
            file = try ReloadedFile(
                path: path, limit: S3Credentials.maximumFileBytes, now: clocks.monotonicNanoseconds(),
                digest: { SHA256.digest(of: $0).bytes },
                make: { bytes throws(FileError) in try S3Credentials(file: bytes) })
        } catch {
            throw ObjectStoreError(.denied, "\(key): \(path) contains no credentials: \(error.message)")
        }
        return {
            let (value, change) = file.current(now: clocks.monotonicNanoseconds())
            if case .refused(let problem) = change {
                notice("\(key): \(path) cannot be used; keeping the previous credentials: \(problem.message)")
            }
            return value
        }
    }
}
