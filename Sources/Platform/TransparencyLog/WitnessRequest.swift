/// A log's request to a witness at `<prefix>/add-checkpoint` (c2sp.org/tlog-witness).
package struct WitnessRequest: Equatable, Sendable {
    private static let sizeContentType = "text/x.tlog.size"
    /// The maximum length of a request in bytes.
    package static let maximumByteCount = 1 << 20

    /// The size of the checkpoint that the witness cosigned last, or 0 if there is none.
    package let oldSize: Int
    /// The proof from `oldSize` to the checkpoint's size; empty if `oldSize` is 0.
    package let proof: ConsistencyProof
    /// The signed checkpoint.
    package let note: SignedNote

    package init(oldSize: Int, proof: ConsistencyProof, note: SignedNote) {
        self.oldSize = oldSize
        self.proof = proof
        self.note = note
    }

    /// Parses a request.
    ///
    /// - Throws: ``TransparencyLogError`` with code `malformedRequest`, or `malformedNote` for its checkpoint.
    package init(bytes: [UInt8]) throws(TransparencyLogError) {
        guard bytes.count <= Self.maximumByteCount else {
            throw TransparencyLogError(.malformedRequest, "the request is too long: \(bytes.count) bytes")
        }
        var rest = bytes[...]
        guard let line = Lines.next(&rest), line.starts(with: "old ".utf8),
            let oldSize = DecimalText.value(line.dropFirst(4))
        else { throw TransparencyLogError(.malformedRequest, "the old size line is missing") }
        guard let hashes = Lines.hashes(&rest) else {
            throw TransparencyLogError(.malformedRequest, "a line is not a hash, or there are more than 63")
        }
        self.oldSize = oldSize
        proof = ConsistencyProof(hashes: hashes)
        note = try SignedNote(bytes: Array(rest))
    }

    /// The request body.
    package var bytes: [UInt8] {
        let lines = ["old \(oldSize)\n"] + proof.hashes.map { "\($0.base64)\n" } + ["\n"]
        return lines.flatMap { Array($0.utf8) } + note.bytes
    }

    /// Whether a 409 response with this content type contains a size for ``size(ofConflict:)``. Case and parameters are
    /// ignored (RFC 9110 section 8.3.1).
    package static func isSize(contentType: String?) -> Bool {
        let type = contentType?.split(separator: ";", omittingEmptySubsequences: false).first?
            .split(whereSeparator: \.isWhitespace)
        return type?.count == 1 && type?.first?.lowercased() == sizeContentType
    }

    /// Parses the body of a 409 response, which contains the size that the witness cosigned last. Returns nil for any
    /// other text.
    package static func size(ofConflict body: [UInt8]) -> Int? {
        guard body.last == UInt8(ascii: "\n") else { return nil }
        return DecimalText.value(body.dropLast())
    }

    /// Parses the signature lines in the body of a 200 response.
    ///
    /// - Throws: ``TransparencyLogError`` with code `malformedRequest` if a line is not a signature, there are no
    ///   lines, or there are more than ``SignedNote/maximumSignatureCount``.
    package static func signatures(ofAnswer body: [UInt8]) throws(TransparencyLogError) -> [NoteSignature] {
        var rest = body[...]
        var signatures: [NoteSignature] = []
        while let line = Lines.next(&rest) {
            guard signatures.count < SignedNote.maximumSignatureCount else {
                throw TransparencyLogError(.malformedRequest, "the response has too many signatures")
            }
            guard let signature = NoteSignature(line: line) else {
                throw TransparencyLogError(.malformedRequest, "a line in the response is not a signature")
            }
            signatures.append(signature)
        }
        guard !signatures.isEmpty, rest.isEmpty else {
            throw TransparencyLogError(.malformedRequest, "the response does not consist of signature lines")
        }
        return signatures
    }
}
