/// Signed text and its signatures (c2sp.org/signed-note). Do not rely on the text before verifying a signature.
package struct SignedNote: Equatable, Sendable {
    /// The maximum number of accepted signatures. The format requires readers to accept at least 16.
    package static let maximumSignatureCount = 100
    /// The maximum length of a note in bytes.
    package static let maximumByteCount = 1 << 20

    /// The signed text, which ends in a newline.
    package let text: String
    package private(set) var signatures: [NoteSignature]

    /// Creates a note without signatures.
    ///
    /// - Throws: ``TransparencyLogError`` with code `malformedNote` if the text is empty, does not end in a newline or
    ///   contains other control characters.
    package init(text: String) throws(TransparencyLogError) {
        guard Self.isText(Array(text.utf8)) else {
            throw TransparencyLogError(.malformedNote, "the text of a note must be lines without control characters")
        }
        self.text = text
        signatures = []
    }

    /// Parses a note.
    ///
    /// - Throws: ``TransparencyLogError`` with code `malformedNote`.
    package init(bytes: [UInt8]) throws(TransparencyLogError) {
        func malformed(_ why: String) -> TransparencyLogError { TransparencyLogError(.malformedNote, why) }
        guard bytes.count <= Self.maximumByteCount else {
            throw malformed("the note is too long: \(bytes.count) bytes")
        }
        // The last empty line separates the text from the signatures.
        guard bytes.last == UInt8(ascii: "\n"), let blank = Self.lastBlankLine(of: bytes) else {
            throw malformed("the note has no empty line before the signatures, or no newline at the end")
        }
        guard Self.isText(bytes), let text = String(validating: bytes[..<blank], as: UTF8.self), !text.isEmpty else {
            throw malformed("the note is not text, or contains control characters")
        }
        let lines = bytes[(blank + 1)...].dropLast().split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard lines.count <= Self.maximumSignatureCount else { throw malformed("too many signatures: \(lines.count)") }
        var signatures: [NoteSignature] = []
        for line in lines {
            guard let signature = NoteSignature(line: line) else { throw malformed("a line is not a signature") }
            signatures.append(signature)
        }
        self.text = text
        self.signatures = signatures
    }

    /// Parses concatenated notes, such as joined files, and ignores empty lines between them. Use this only for
    /// notes, such as checkpoints, that have no text lines that look like signatures.
    ///
    /// - Throws: ``TransparencyLogError`` with code `malformedNote`, including when there is no note.
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

    /// The encoded note, as in files and requests.
    package var bytes: [UInt8] {
        Array(text.utf8) + [UInt8(ascii: "\n")] + signatures.flatMap { Array($0.line.utf8) }
    }

    /// Adds a signature, which replaces an earlier one by the same key.
    package mutating func add(_ signature: NoteSignature) {
        signatures.removeAll { KeyName.areEqual($0.name, signature.name) && $0.keyID == signature.keyID }
        signatures.append(signature)
    }

    /// Signs the text. The signature replaces an earlier one by the same key.
    ///
    /// - Parameter number: the time of a cosignature in seconds since 1970, or the size in a previous-size signature.
    /// - Throws: ``TransparencyLogError`` with code `signing`.
    package mutating func sign(with signer: NoteSigner, _ number: Int = 0) throws(TransparencyLogError) {
        add(try signer.signature(of: text, with: number))
    }

    /// Verifies and returns the signatures by the given keys. Signatures by other keys are ignored.
    ///
    /// - Throws: ``TransparencyLogError``: `invalidSignature` if a signature names one of the keys but does not verify,
    ///   `unknownKey` if no signature names any of them.
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
            throw TransparencyLogError(.unknownKey, "signed only by unknown keys: \(names)")
        }
        return verified
    }

    private static func isText(_ bytes: [UInt8]) -> Bool {
        bytes.last == UInt8(ascii: "\n") && bytes.allSatisfy { $0 >= 0x20 || $0 == UInt8(ascii: "\n") }
    }

    /// Returns the index of the last empty line, or nil if there is none or nothing follows it.
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

/// A verified signature.
package struct VerifiedSignature: Equatable, Sendable {
    /// The key name.
    package let name: String
    package let type: NoteSignatureType
    /// The time of a cosignature, in seconds since 1970.
    package var time: Int?
    /// The size of the previous checkpoint, from a previous-size signature.
    package var previousSize: Int?
}
