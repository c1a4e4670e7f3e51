/// Attributes for spans about requests. Source: OpenTelemetry, "Semantic conventions for HTTP spans".
extension SpanAttribute {
    /// Returns attributes with the host and the port of an absolute URL, or none for any other text. All other parts of
    /// the URL, which may contain secrets, are omitted.
    package static func server(of url: String) -> [SpanAttribute] {
        guard let scheme = url.firstRange(of: "://") else { return [] }
        let authority = url[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? authority
        let portText = host.lastIndex(of: ":").map { host[host.index(after: $0)...] } ?? ""
        let isSecure = url[..<scheme.lowerBound].lowercased() == "https"
        guard let port = UInt16(portText) else {
            return [SpanAttribute(.serverAddress, String(host)), SpanAttribute(.serverPort, isSecure ? 443 : 80)]
        }
        return [
            SpanAttribute(.serverAddress, String(host.dropLast(portText.count + 1))), SpanAttribute(.serverPort, port),
        ]
    }
}
