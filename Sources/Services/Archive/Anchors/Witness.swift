internal import Configuration
internal import SignedRequests
internal import TransparencyLog

/// A witness configured by the operator.
struct Witness: Sendable, Equatable {
    /// The witness's name in metrics and logs.
    let name: String
    /// The witness's cosignature public key.
    let verifier: NoteVerifier
    /// The submission prefix without the trailing `/`.
    let url: String

    static let maximumFileBytes = 64 * 1024
    private static let maximumCount = 32

    /// Parses one witness per line: the name for metrics, the verifier key and the URL. Empty lines and lines that
    /// begin with `#` are ignored.
    ///
    /// - Throws: a `FileError` with the problem and, if the problem concerns one line, the line number.
    static func read(_ text: [UInt8]) throws(FileError) -> [Witness] {
        var witnesses: [Witness] = []
        let lines = String(decoding: text, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let parts = line.split(whereSeparator: \.isWhitespace).map(String.init)
            guard let name = parts.first, !name.hasPrefix("#") else { continue }
            func wrong(_ problem: String) -> FileError { FileError(message: "line \(index + 1) \(problem)") }
            guard parts.count == 3 else { throw wrong("must have the form: name verifier-key URL") }
            guard name.utf8.count <= 60, name.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != 34 && $0 != 92 }) else {
                throw wrong("begins with a name that is too long or contains invalid characters")
            }
            guard !witnesses.contains(where: { $0.name == name }), name != "kafka", name != "store" else {
                throw wrong("repeats the name of another anchor")
            }
            witnesses.append(
                Witness(name: name, verifier: try verifier(parts[1], wrong), url: try url(parts[2], wrong)))
        }
        guard !witnesses.isEmpty else { throw FileError(message: "the file lists no witnesses") }
        guard witnesses.count <= maximumCount else {
            throw FileError(message: "the file lists \(witnesses.count) witnesses; the maximum is \(maximumCount)")
        }
        return witnesses
    }

    private static func verifier(
        _ text: String, _ wrong: (String) -> FileError
    ) throws(FileError) -> NoteVerifier {
        let verifier: NoteVerifier
        do throws(TransparencyLogError) {
            verifier = try NoteVerifier(text: text)
        } catch { throw wrong("has an invalid verifier key: \(error.message)") }
        guard verifier.type.isCosignature else {
            throw wrong("has a log's key; a witness needs a cosignature key (type 4 or 6)")
        }
        return verifier
    }

    private static func url(_ text: String, _ wrong: (String) -> FileError) throws(FileError) -> String {
        let url = EndpointURL(text)
        if url.hasUser { throw wrong("has a URL with a user name") }
        if let problem = url.problem { throw wrong("has a URL that \(problem)") }
        guard !text.contains("?") else { throw wrong("has a URL with a query") }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
}
