/// A text and its signatures (c2sp.org/signed-note). The text means nothing until a signature is verified.
package struct SignedNote: Equatable, Sendable {
    /// The most signatures that are read; the format asks for at least 16.
    package static let maximumSignatureCount = 100
    /// The longest note that is read, in bytes.
    package static let maximumByteCount = 1 << 20

    /// Ends in a newline.
    package let text: String
    package private(set) var signatures: [NoteSignature]

    /// A note that is not yet signed.
    ///
    /// - Throws: ``TransparencyLogError`` with code `malformedNote` when the text is empty, does not end in a newline or has
    ///   other control characters.
    package init(text: String) throws(TransparencyLogError) {
        guard Self.isText(Array(text.utf8)) else {
            throw TransparencyLogError(.malformedNote, "the text of a note is lines without control characters")
        }
        self.text = text
        signatures = []
    }

    /// - Throws: ``TransparencyLogError`` with code `malformedNote`.
    package init(bytes: [UInt8]) throws(TransparencyLogError) {
        func malformed(_ why: String) -> TransparencyLogError { TransparencyLogError(.malformedNote, why) }
        guard bytes.count <= Self.maximumByteCount else { throw malformed("a note of \(bytes.count) bytes") }
        // The last empty line parts text and signatures.
        guard bytes.last == UInt8(ascii: "\n"), let blank = Self.lastBlankLine(of: bytes) else {
            throw malformed("no empty line before the signatures, or no newline at the end")
        }
        guard Self.isText(bytes), let text = String(validating: bytes[..<blank], as: UTF8.self), !text.isEmpty else {
            throw malformed("not text, or with control characters")
        }
        let lines = bytes[(blank + 1)...].dropLast().split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count <= Self.maximumSignatureCount else { throw malformed("\(lines.count) signatures") }
        var signatures: [NoteSignature] = []
        for line in lines {
            guard let signature = NoteSignature(line: line) else { throw malformed("a line that is no signature") }
            signatures.append(signature)
        }
        self.text = text
        self.signatures = signatures
    }

    /// Notes one after the other, as when files are joined; empty lines may stand between them. For texts of which no line
    /// begins as a signature does, such as checkpoints.
    ///
    /// - Throws: ``TransparencyLogError`` with code `malformedNote`; also when there is none.
    package static func sequence(_ bytes: [UInt8]) throws(TransparencyLogError) -> [SignedNote] {
        let newline = UInt8(ascii: "\n")
        var notes: [SignedNote] = []
        var note: [UInt8] = []
        var isSigned = false
        for line in bytes.split(separator: newline, omittingEmptySubsequences: false) {
            let isSignature = line.starts(with: "— ".utf8)
            if isSigned, !isSignature {
                notes.append(try SignedNote(bytes: note))
                (note, isSigned) = ([], false)
            }
            if note.isEmpty, line.isEmpty { continue }
            note += line
            note.append(newline)
            isSigned = isSigned || isSignature
        }
        if isSigned {
            notes.append(try SignedNote(bytes: note))
        } else if !note.isEmpty || notes.isEmpty {
            throw TransparencyLogError(.malformedNote, "no signature follows the text")
        }
        return notes
    }

    /// What a file or a request holds.
    package var bytes: [UInt8] {
        Array(text.utf8) + [UInt8(ascii: "\n")] + signatures.flatMap { Array($0.line.utf8) }
    }

    /// Adds a signature, in place of one by the same key.
    package mutating func add(_ signature: NoteSignature) {
        signatures.removeAll { KeyName.areEqual($0.name, signature.name) && $0.keyID == signature.keyID }
        signatures.append(signature)
    }

    /// Signs; in place of an earlier signature by the same key.
    ///
    /// - Parameter number: for a cosignature its time in seconds since 1970, for a previous size that size.
    /// - Throws: ``TransparencyLogError`` with code `signing`.
    package mutating func sign(with signer: NoteSigner, _ number: Int = 0) throws(TransparencyLogError) {
        add(try signer.signature(of: text, with: number))
    }

    /// The signatures by keys of the list, each verified; those by other keys are left out.
    ///
    /// - Throws: ``TransparencyLogError`` with code `invalidSignature` when one names a known key and is not by it,
    ///   `unknownKey` when none is by a known key.
    package func verified(by verifiers: [NoteVerifier]) throws(TransparencyLogError) -> [VerifiedSignature] {
        var verified: [VerifiedSignature] = []
        for signature in signatures {
            for verifier in verifiers where verifier.isKey(of: signature) {
                guard let good = verifier.verify(signature, of: text) else {
                    throw TransparencyLogError(.invalidSignature, "the signature by \(signature.name) does not match")
                }
                verified.append(good)
            }
        }
        guard !verified.isEmpty else {
            let names = signatures.map(\.name).joined(separator: ", ")
            throw TransparencyLogError(.unknownKey, "signed by \(names), of which no key is known")
        }
        return verified
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        bytes.last == UInt8(ascii: "\n") && bytes.allSatisfy { $0 >= 0x20 || $0 == UInt8(ascii: "\n") }
    }

    /// Where the empty line begins; a signature must follow it.
    private static func lastBlankLine(of bytes: [UInt8]) -> Int? {
        var at = bytes.count - 1
        while at >= 1 {
            if bytes[at] == UInt8(ascii: "\n"), bytes[at - 1] == UInt8(ascii: "\n") {
                return at < bytes.count - 1 ? at : nil
            }
            at -= 1
        }
        return nil
    }
}

/// A signature that was verified.
package struct VerifiedSignature: Equatable, Sendable {
    /// The key's name.
    package let name: String
    package let type: NoteSignatureType
    /// Of a cosignature: when it was made, in seconds since 1970.
    package var time: Int?
    /// Of a checkpoint: how many leaves the one before had.
    package var previousSize: Int?
}
