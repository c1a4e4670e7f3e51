internal import CCurl

/// The version of the loaded libcurl, such as `7.88.1`.
package var libcurlVersion: String {
    // The text looks like `libcurl/7.88.1 OpenSSL/3.0.15 zlib/1.2.13 …`.
    let text = String(cString: curl_version())
    return text.prefix { $0 != " " }.split(separator: "/").last.map(String.init) ?? text
}
