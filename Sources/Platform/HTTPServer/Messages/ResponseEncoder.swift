internal import Primitives

/// Encodes response heads. The date is formatted once a second.
struct ResponseEncoder {
    /// The encoded head, and the body if it is small.
    private(set) var bytes: [UInt8] = []
    private var date: [UInt8] = []
    private var dateSecond = Int64.min

    static let continues = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

    /// The maximum size of a body that is copied after the head, so that one call sends both.
    private static let smallBody = 16 * 1024

    /// Encodes the head, and the body if it is small. Returns the part of the body to send after `bytes`.
    mutating func encode(_ response: HTTPResponse, keeps: Bool, omitsBody: Bool, wallSeconds: Int64) -> [UInt8] {
        let status = (200...599).contains(response.status) ? response.status : 503
        let hasBody = status != 204 && status != 304
        bytes.removeAll(keepingCapacity: true)
        append("HTTP/1.1 ")
        append(decimal: status)
        append(" ")
        append(Self.phrase(status))
        append("\r\nDate: ")
        renewDate(wallSeconds)
        bytes.append(contentsOf: date)
        if hasBody {
            append("\r\nContent-Length: ")
            append(decimal: response.body.count)
            if !response.body.isEmpty {
                append("\r\nContent-Type: ")
                append(response.contentType)
            }
        }
        for (name, value) in response.headers { append(name, value) }
        append(keeps ? "\r\n\r\n" : "\r\nConnection: close\r\n\r\n")
        if !hasBody || omitsBody { return [] }
        guard response.body.count <= Self.smallBody else { return response.body }
        bytes.append(contentsOf: response.body)
        return []
    }

    /// Appends a field, but omits one that would corrupt the head. The value may originate from a request.
    private mutating func append(_ name: String, _ value: String) {
        guard !name.isEmpty, name.utf8.allSatisfy(\.isHTTPTokenCharacter) else { return }
        guard value.utf8.allSatisfy({ $0 >= 32 && $0 != 127 || $0 == 9 }) else { return }
        append("\r\n")
        bytes.append(contentsOf: name.utf8)
        append(": ")
        bytes.append(contentsOf: value.utf8)
    }

    private mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func append(decimal value: Int) {
        if value >= 10 { append(decimal: value / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(value % 10))
    }

    private mutating func renewDate(_ seconds: Int64) {
        guard seconds != dateSecond else { return }
        dateSecond = seconds
        date = HTTPDate.bytes(seconds: seconds)
    }

    private static func phrase(_ status: Int) -> StaticString {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Status"
        }
    }
}
