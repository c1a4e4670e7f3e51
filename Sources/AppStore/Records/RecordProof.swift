/// A reference to the header segment of a JWS: the SHA-256 digest of its base64url text as 64 lowercase hexadecimal
/// digits. It is the key of the segment's record in the certificates topic.
public struct HeaderReference: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public var description: String { rawValue }

    /// Whether the text is a valid reference: 64 lowercase hexadecimal digits.
    public var isWellFormed: Bool {
        let digits = rawValue.utf8
        return digits.count == 64
            && digits.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }
}

/// The header references and signatures of a notification. Together with the payloads, they restore the compact JWS
/// byte for byte.
public struct RecordProof: Hashable, Sendable {
    /// A compact JWS without its payload.
    public struct Part: Hashable, Sendable {
        /// The reference to the header segment.
        public var header: HeaderReference
        /// The signature segment: 86 characters of base64url.
        public var signature: ArraySlice<UInt8>

        public init(header: HeaderReference, signature: ArraySlice<UInt8>) {
            self.header = header
            self.signature = signature
        }
    }

    public var notification: Part
    /// The transaction's part. Each of the three optional parts is nil if Apple did not send the object.
    public var transaction: Part?
    public var renewalInfo: Part?
    public var appTransaction: Part?

    public init(
        notification: Part, transaction: Part? = nil, renewalInfo: Part? = nil, appTransaction: Part? = nil
    ) {
        self.notification = notification
        self.transaction = transaction
        self.renewalInfo = renewalInfo
        self.appTransaction = appTransaction
    }

    /// The length of a signature segment: 64 bytes in base64url.
    static let signatureLength = 86
}

extension RecordProof {
    /// Appends the proof as a JSON object. References and signatures need no escaping.
    func append(to value: inout [UInt8]) {
        var separator = UInt8(ascii: "{")
        func append(_ name: StaticString, _ part: Part?) {
            guard let part else { return }
            value.append(separator)
            separator = UInt8(ascii: ",")
            name.withUTF8Buffer { value.append(contentsOf: $0) }
            value.append(contentsOf: #"{"header":""#.utf8)
            value.append(contentsOf: part.header.rawValue.utf8)
            value.append(contentsOf: #"","signature":""#.utf8)
            value.append(contentsOf: part.signature)
            value.append(contentsOf: #""}"#.utf8)
        }
        append(#""notification":"#, notification)
        append(#""transaction":"#, transaction)
        append(#""renewalInfo":"#, renewalInfo)
        append(#""appTransaction":"#, appTransaction)
        value.append(UInt8(ascii: "}"))
    }

    /// The maximum length of a proof in bytes.
    static let maximumLength = 4 * 200
}
