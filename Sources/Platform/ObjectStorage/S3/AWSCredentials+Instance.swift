internal import HTTPClient

/// Keys for an EC2 instance's role, from version 2 of its metadata service.
///
/// Source: Amazon EC2 User Guide, "Use the Instance Metadata Service to access instance metadata".
extension AWSCredentials {
    private static let lifeOfToken = 21_600
    /// Short, because the service is on the host's own network: if it does not respond at once, it does not exist.
    private static let timeout = Duration.seconds(2)

    /// Whether the metadata service is enabled, and the process runs on EC2 or has a configured metadata endpoint.
    var isOnInstance: Bool {
        guard variable("AWS_EC2_METADATA_DISABLED")?.lowercased() != "true" else { return false }
        if variable("AWS_EC2_METADATA_SERVICE_ENDPOINT") != nil { return true }
        let vendor = requests.file("/sys/class/dmi/id/sys_vendor").map { String(decoding: $0, as: UTF8.self) }
        return vendor?.hasPrefix("Amazon EC2") ?? false
    }

    private var metadata: String {
        var url = variable("AWS_EC2_METADATA_SERVICE_ENDPOINT") ?? "http://169.254.169.254"
        while url.hasSuffix("/") { url.removeLast() }
        return url
    }

    func keyOfInstance() async throws(CredentialError) -> Key {
        let token = String(
            decoding: try await ask(
                "PUT", "/latest/api/token", ("X-aws-ec2-metadata-token-ttl-seconds", "\(Self.lifeOfToken)")),
            as: UTF8.self)
        let header = ("X-aws-ec2-metadata-token", token)
        let roles = "/latest/meta-data/iam/security-credentials/"
        let role = String(decoding: try await ask("GET", roles, header), as: UTF8.self).prefix { !$0.isNewline }
        guard !role.isEmpty, role.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            throw CredentialError("the instance has no role: attach an instance profile", isRefusal: true)
        }
        guard let key = Self.key(inMetadata: try await ask("GET", roles + role, header)) else {
            throw CredentialError("the instance's metadata contains no key")
        }
        return key
    }

    private func ask(
        _ method: String, _ path: String, _ header: (name: String, value: String)
    ) async throws(CredentialError) -> [UInt8] {
        let request = HTTPClientRequest(
            method: method, url: metadata + path, headers: [header], body: method == "PUT" ? [] : nil,
            timeout: Self.timeout, connectTimeout: Self.timeout)
        return try await requests.answer(from: "the instance's metadata", request) { _ in nil }
    }
}
