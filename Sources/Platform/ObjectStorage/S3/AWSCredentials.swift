internal import Configuration
internal import HTTPClient
internal import JSON
internal import Primitives

/// The sources of an AWS key: a configured file or, as in AWS's own libraries, the environment, a web identity (EKS),
/// the shared credentials file, the container's metadata (ECS, EKS Pod Identity) and the instance's metadata (EC2).
package struct AWSCredentials: Sendable {
    /// A key and its expiry in milliseconds since 1970. The expiry is nil if the key does not expire.
    package struct Key: Sendable {
        package let key: S3Credentials
        package let expiry: Int64?

        package init(key: S3Credentials, expiry: Int64?) {
            self.key = key
            self.expiry = expiry
        }
    }

    package let region: String
    /// The path of a configured file in the format that AWS's tools use.
    package let file: String?
    /// The name of the setting for ``file``, for messages.
    private let setting: String
    let requests: CredentialRequests

    /// - Parameter setting: the name of the setting for the file.
    package init(region: String, file: String?, setting: String, requests: CredentialRequests) {
        self.region = region
        self.file = file
        self.setting = setting
        self.requests = requests
    }

    /// Whether a key source appears to be configured. Determined without a request.
    package var isConfigured: Bool {
        file != nil || variable("AWS_ACCESS_KEY_ID") != nil || variable("AWS_WEB_IDENTITY_TOKEN_FILE") != nil
            || containerURL != nil || requests.file(sharedFile) != nil || isOnInstance
    }

    /// Returns the current key.
    package func key() async throws(CredentialError) -> Key {
        if let file { return Key(key: try key(inFile: file), expiry: nil) }
        if let id = variable("AWS_ACCESS_KEY_ID"), let secret = variable("AWS_SECRET_ACCESS_KEY") {
            let key = S3Credentials(
                accessKeyId: id, secretAccessKey: Secret(Array(secret.utf8)),
                sessionToken: variable("AWS_SESSION_TOKEN"))
            return Key(key: key, expiry: nil)
        }
        if let file = variable("AWS_WEB_IDENTITY_TOKEN_FILE"), let role = variable("AWS_ROLE_ARN") {
            return try await key(ofWebIdentity: file, role: role)
        }
        if let key = try keyInSharedFile() { return Key(key: key, expiry: nil) }
        if let url = containerURL { return try await key(ofContainer: url) }
        if isOnInstance { return try await keyOfInstance() }
        throw CredentialError(waysToKey, isRefusal: true)
    }

    /// The ways to configure a key, for messages.
    package var waysToKey: String {
        """
        no AWS key: set \(setting), or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or run with a role \
        (AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN, AWS_CONTAINER_CREDENTIALS_…, or an EC2 instance profile)
        """
    }

    func variable(_ name: String) -> String? {
        requests.variable(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    private func text(of file: String) throws(CredentialError) -> String {
        guard let bytes = requests.file(file) else { throw CredentialError("\(file) cannot be read") }
        return String(decoding: bytes, as: UTF8.self).trimmed
    }

    private func key(inFile file: String) throws(CredentialError) -> S3Credentials {
        guard let bytes = requests.file(file) else { throw CredentialError("\(file) cannot be read") }
        do throws(FileError) {
            return try S3Credentials(file: bytes)
        } catch {
            throw CredentialError("\(file) contains no key: \(error.message)")
        }
    }

    // MARK: Web identity

    /// Requests a key from AWS Security Token Service with `AssumeRoleWithWebIdentity`.
    private func key(ofWebIdentity file: String, role: String) async throws(CredentialError) -> Key {
        let endpoint = variable("AWS_ENDPOINT_URL_STS") ?? "https://sts.\(region).amazonaws.com/"
        let request = HTTPClientRequest(
            method: "POST", url: endpoint,
            headers: [(name: "Content-Type", value: "application/x-www-form-urlencoded")],
            body: CredentialRequests.form([
                (name: "Action", value: "AssumeRoleWithWebIdentity"), (name: "Version", value: "2011-06-15"),
                (name: "RoleArn", value: role),
                (name: "RoleSessionName", value: variable("AWS_ROLE_SESSION_NAME") ?? "sluice"),
                (name: "WebIdentityToken", value: try text(of: file)),
            ]))
        let body = try await requests.answer(from: endpoint, request) { body in
            let error = XMLElement(document: body)?.child("Error")
            return error.flatMap { $0.text("Code") }.map { code in
                error?.text("Message").map { "\(code): \($0)" } ?? code
            }
        }
        let result = XMLElement(document: body)?.child("AssumeRoleWithWebIdentityResult")
        guard let key = result?.child("Credentials"), let id = key.text("AccessKeyId"),
            let secret = key.text("SecretAccessKey"), let token = key.text("SessionToken")
        else { throw CredentialError("the response from \(endpoint) contains no key") }
        return Key(
            key: S3Credentials(accessKeyId: id, secretAccessKey: Secret(Array(secret.utf8)), sessionToken: token),
            expiry: key.text("Expiration").flatMap { RFC3339.milliseconds(Array($0.utf8)) })
    }

    // MARK: Shared file

    private var sharedFile: String {
        variable("AWS_SHARED_CREDENTIALS_FILE") ?? "\(variable("HOME") ?? "")/.aws/credentials"
    }

    /// Returns the key in the section named by `AWS_PROFILE`, or in `default` if the variable is not set. Returns nil
    /// if the file or the `default` section does not exist.
    private func keyInSharedFile() throws(CredentialError) -> S3Credentials? {
        let profile = variable("AWS_PROFILE")
        guard let bytes = requests.file(sharedFile) else { return nil }
        do throws(FileError) {
            if let key = try S3Credentials(sharedFile: bytes, profile: profile ?? "default") { return key }
        } catch {
            throw CredentialError("\(sharedFile) contains no key: \(error.message)")
        }
        guard let profile else { return nil }
        throw CredentialError("\(sharedFile) has no section for AWS_PROFILE=\(profile)", isRefusal: true)
    }

    // MARK: Container

    private var containerURL: String? {
        if let path = variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI") { return "http://169.254.170.2\(path)" }
        return variable("AWS_CONTAINER_CREDENTIALS_FULL_URI")
    }

    private static func isOfThisHost(_ url: String) -> Bool {
        ["169.254.170.2", "169.254.170.23", "127.0.0.1", "localhost", "[::1]", "[fd00:ec2::23]"].contains { host in
            ["/", ":"].contains { url.hasPrefix("http://\(host)\($0)") }
        }
    }

    /// Requests a key from the container's metadata service. Requests without TLS go only to this host and to the
    /// addresses of ECS and EKS, because the response contains a key.
    private func key(ofContainer url: String) async throws(CredentialError) -> Key {
        guard url.hasPrefix("https://") || Self.isOfThisHost(url) else {
            throw CredentialError(
                "AWS_CONTAINER_CREDENTIALS_FULL_URI must be an https URL, or an http URL of this host or of the ECS or "
                    + "EKS credential endpoint", isRefusal: true)
        }
        var headers: [(name: String, value: String)] = []
        if let file = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
            headers.append((name: "Authorization", value: try text(of: file)))
        } else if let token = variable("AWS_CONTAINER_AUTHORIZATION_TOKEN") {
            headers.append((name: "Authorization", value: token))
        }
        let request = HTTPClientRequest(url: url, headers: headers)
        let body = try await requests.answer(from: "the container's metadata", request) { body in
            (try? JSONDocument.object(body).root)?["message"]?.string
        }
        guard let key = Self.key(inMetadata: body) else {
            throw CredentialError("the container's metadata contains no key")
        }
        return key
    }

    static func key(inMetadata body: [UInt8]) -> Key? {
        guard let answer = try? JSONDocument.object(body).root, let id = answer["AccessKeyId"]?.string,
            let secret = answer["SecretAccessKey"]?.string
        else { return nil }
        return Key(
            key: S3Credentials(
                accessKeyId: id, secretAccessKey: Secret(Array(secret.utf8)), sessionToken: answer["Token"]?.string),
            expiry: answer["Expiration"]?.string.flatMap { RFC3339.milliseconds(Array($0.utf8)) })
    }
}

extension String {
    /// The text without leading and trailing whitespace.
    fileprivate var trimmed: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
