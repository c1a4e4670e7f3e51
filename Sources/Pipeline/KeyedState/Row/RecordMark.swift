internal import Kafka
internal import Primitives

/// The headers of a published row: its writer, the fingerprint of its rules, and the winning proposal.
///
/// `sluice.state` is `<writer>;<number>;<fingerprint>` in hexadecimal. A member uses it to recognize its own records
/// without parsing them.
struct RecordMark: Equatable {
    /// Random identifier of a process run.
    var writer: UInt64
    /// Number of the publication; ascending within each partition.
    var number: UInt64
    /// Numeric form of ``StateModel/fingerprint``; 0 if the fingerprint is empty.
    var form: Int64

    static let header = StateHeader.mark
    static let proposal = "sluice.proposal"
    /// The offset of the first record that contained the proposal; absent from that record itself.
    static let proposalOffset = StateHeader.proposalOffset

    /// Returns the effective time of a record: the value of its ``StateHeader/moment`` header, or else the time of
    /// writing.
    static func moment(of record: KafkaRecord) -> Int64 {
        record.header(StateHeader.moment)?.value.flatMap { Int64(String(decoding: $0, as: UTF8.self)) }
            ?? record.timestampMilliseconds ?? 0
    }

    init(writer: UInt64, number: UInt64, form: Int64) {
        self.writer = writer
        self.number = number
        self.form = form
    }

    /// Reads the mark of a record; nil if the record has no valid mark.
    init?(_ record: KafkaRecord) {
        guard case .some(let mark?) = record.withHeaderValue(Self.header, { $0.flatMap(Self.init) }) else { return nil }
        self = mark
    }

    /// Parses the output of ``text``; nil if the input is anything else.
    init?(_ text: UnsafeRawBufferPointer) {
        var numbers: (UInt64, UInt64, UInt64) = (0, 0, 0)
        var separators = 0
        for byte in text {
            if byte == UInt8(ascii: ";") {
                guard separators < 2 else { return nil }
                separators += 1
                numbers = (numbers.1, numbers.2, 0)
                continue
            }
            guard let digit = Self.digit(byte) else { return nil }
            numbers.2 = numbers.2 << 4 | digit
        }
        guard separators == 2 else { return nil }
        self.init(writer: numbers.0, number: numbers.1, form: Int64(bitPattern: numbers.2))
    }

    private static func digit(_ byte: UInt8) -> UInt64? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt64(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt64(byte - UInt8(ascii: "a") + 10)
        default: nil
        }
    }

    var text: [UInt8] {
        // Two separators, and three numbers of at most 16 digits.
        [UInt8](unsafeUninitializedCapacity: 50) { text, count in
            for number in [writer, number, UInt64(bitPattern: form)] {
                if count > 0 {
                    text[count] = UInt8(ascii: ";")
                    count += 1
                }
                var shift = number == 0 ? 0 : (63 - number.leadingZeroBitCount) / 4 * 4
                while shift >= 0 {
                    let digit = UInt8(truncatingIfNeeded: number >> UInt64(shift)) & 15
                    text[count] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
                    count += 1
                    shift -= 4
                }
            }
        }
    }

    /// Returns a fingerprint as a number (its FNV-1a hash); 0 if the fingerprint is empty.
    static func form(of fingerprint: String) -> Int64 {
        guard !fingerprint.isEmpty else { return 0 }
        let hash = FNV1a.hash(fingerprint.utf8)
        return Int64(bitPattern: hash == 0 ? 1 : hash)
    }
}
