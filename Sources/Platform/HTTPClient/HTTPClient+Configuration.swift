public import Configuration
internal import FoundationEssentials
internal import Primitives

/// Settings for all outbound HTTP requests. The names and defaults are a public contract.
public enum HTTPClientSettings {
    public static let proxy = Setting(
        "http.client.proxy", .proxyURL,
        help: """
            Outbound proxy for all HTTP requests from this process: to Apple's API, OCSP, your services and buckets. \
            Requests to this machine bypass the proxy. Proxy variables in the environment are ignored.
            """,
        example: "http://proxy.example.com:3128"
    ).optional
    public static let credentials = Setting<SecretFile>.secretFile(
        "http.client.proxy.credentials.file", help: "File with user:password for http.client.proxy.",
        example: "/run/secrets/proxy"
    ).optional
    public static let exceptions = Setting(
        "http.client.no.proxy", ValueKind.list(of: .proxyException), default: [],
        help: """
            Hosts that bypass the proxy: example.com (includes subdomains), .example.com (subdomains only), an address \
            or a network.
            """,
        example: "minio.internal,.example.com,10.0.0.0/8")

    public static let all: [any AnySetting] = [proxy, credentials, exceptions]
}

extension HTTPClient.Configuration {
    /// Creates a client configuration from ``HTTPClientSettings``.
    ///
    /// - Throws: a `ConfigurationError` if the credentials cannot be read, or are set without a proxy.
    public init(_ configuration: Configuration, trustRootsFile: String? = nil) throws(ConfigurationError) {
        self.init(trustRootsFile: trustRootsFile)
        guard let url = configuration[HTTPClientSettings.proxy] else {
            guard configuration[HTTPClientSettings.credentials] == nil else {
                throw configuration.error(
                    HTTPClientSettings.credentials.key, "is set without \(HTTPClientSettings.proxy.key). Set both.")
            }
            return
        }
        proxy = HTTPProxy(
            url: url, credentials: try Self.credentials(configuration),
            exceptions: configuration[HTTPClientSettings.exceptions])
    }

    private static func credentials(_ configuration: Configuration) throws(ConfigurationError) -> String? {
        guard let file = configuration[HTTPClientSettings.credentials] else { return nil }
        let key = HTTPClientSettings.credentials.key
        guard let bytes = FileManager.default.contents(atPath: file.path), bytes.count <= SecretFile.maximumBytes else {
            throw configuration.error(key, "\(file.path) cannot be read.")
        }
        let text = String(decoding: bytes, as: UTF8.self).trimmingWhitespace
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex,
            text.utf8.allSatisfy({ $0 >= 32 && $0 != 127 })
        else {
            throw configuration.error(key, "\(file.path) does not contain exactly one line in the form user:password.")
        }
        return text
    }
}

extension ValueKind where Value == String {
    fileprivate static var proxyURL: ValueKind<String> {
        ValueKind(
            name: "URL", expected: "http or https, host and port", example: "http://proxy.example.com:3128",
            text: { $0 }
        ) { text throws(SettingError) in
            // Text with an @ may contain a password, even if it is not a URL.
            guard !text.contains("@") else {
                throw SettingError(
                    "contains a user name or password; write them as user:password to the file set in "
                        + HTTPClientSettings.credentials.key, hidesValue: true)
            }
            guard let components = URLComponents(string: text), let scheme = components.scheme?.lowercased(),
                scheme == "http" || scheme == "https", let host = components.host, !host.isEmpty,
                text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { throw SettingError("must be an http or https URL, such as http://proxy.example.com:3128") }
            // Without a port, libcurl would use 1080, the SOCKS port.
            guard let port = components.port, (1...65535).contains(port) else {
                throw SettingError("must include a port, for example http://proxy.example.com:3128")
            }
            guard ["", "/"].contains(components.path), components.query == nil, components.fragment == nil else {
                throw SettingError("must contain only a scheme, a host and a port")
            }
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }
    }
}

extension ValueKind where Value == ProxyException {
    fileprivate static var proxyException: ValueKind<ProxyException> {
        ValueKind(
            name: "HOST", expected: "a domain, an address or a network such as 10.0.0.0/8", example: "example.com",
            text: \.description
        ) { text throws(SettingError) in
            guard let exception = ProxyException(text) else {
                throw SettingError("must be a domain, an address or a network such as 10.0.0.0/8")
            }
            return exception
        }
    }
}
