internal import Configuration
internal import FoundationEssentials
internal import SignedRequests

extension ValueKind where Value == String {
    /// A scheme, host, port and path without a trailing `/`. Only loopback addresses may use http, because every
    /// request contains a bearer token.
    static var apiURL: ValueKind<String> {
        ValueKind(
            name: "URL", expected: "an http or https URL without a query", example: "http://127.0.0.1:8090",
            text: { $0 }
        ) { text throws(SettingError) in
            guard let components = URLComponents(string: text), let scheme = components.scheme?.lowercased(),
                scheme == "https" || scheme == "http", let host = components.host, !host.isEmpty,
                components.query == nil, components.fragment == nil, components.user == nil,
                components.password == nil, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else {
                throw SettingError(
                    "must be a URL without a user name, query or fragment, such as http://127.0.0.1:8090")
            }
            let endpoint = EndpointURL(text)
            guard endpoint.isEncrypted || endpoint.isLoopback else {
                throw SettingError(
                    "would send tokens unencrypted to another machine; use https://, or a URL on this machine such as "
                        + "http://127.0.0.1:8090")
            }
            return text.hasSuffix("/") ? String(text.dropLast()) : text
        }
    }
}
