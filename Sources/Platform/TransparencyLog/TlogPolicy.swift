internal import Primitives

/// A policy file (c2sp.org/tlog-policy), which lists the known logs and the witnesses that must cosign a checkpoint.
package struct TlogPolicy: Sendable {
    /// The maximum length of a file in bytes.
    package static let maximumByteCount = 1 << 20
    /// The maximum number of logs, witnesses or groups, each counted separately.
    package static let maximumCount = 1024

    /// A log's or witness's key.
    package struct Key: Sendable {
        /// A witness's name, which has no meaning outside the file; empty for a log.
        package let name: [UInt8]
        /// The verifier. Nil for an unusable key, whose signatures never count: a log's ML-DSA-44 key, or a witness's
        /// ML-DSA-44 key if libcrypto lacks the algorithm.
        package let verifier: NoteVerifier?
        let publicKey: [UInt8]
    }

    /// The logs' keys, in file order. A key's name is its log's origin.
    package let logs: [Key]
    package let witnesses: [Key]
    /// The name in the quorum line.
    package let quorumName: String
    /// The quorum. Its indexes refer to ``witnesses``.
    package let quorum: WitnessQuorum

    /// - Throws: ``TransparencyLogError`` with code `malformedPolicy` and the line number in the message.
    package init(bytes: [UInt8]) throws(TransparencyLogError) {
        guard bytes.count <= Self.maximumByteCount else { throw Self.malformed(nil, "the file is too long") }
        guard bytes.isEmpty || bytes.last == UInt8(ascii: "\n") else {
            throw Self.malformed(nil, "the last line does not end in a newline; the file may be truncated")
        }
        var reading = PolicyReading()
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            do throws(PolicyReading.Problem) {
                try reading.take(line)
            } catch { throw Self.malformed(index + 1, error.message) }
        }
        guard let quorum = reading.quorum else { throw Self.malformed(nil, "there is no quorum line") }
        logs = reading.logs
        witnesses = reading.witnesses
        quorumName = String(decoding: quorum.name, as: UTF8.self)
        self.quorum = WitnessQuorum(quorum.member, groups: reading.groups)
    }

    private static func malformed(_ line: Int?, _ message: String) -> TransparencyLogError {
        let place = line.map { "line \($0) of the policy" } ?? "the policy"
        return TransparencyLogError(.malformedPolicy, "\(place): \(message)")
    }
}

/// A partially parsed policy.
private struct PolicyReading {
    struct Problem: Error {
        let message: String

        init(_ message: String) { self.message = message }
    }

    private(set) var logs: [TlogPolicy.Key] = []
    private(set) var witnesses: [TlogPolicy.Key] = []
    private(set) var groups: [WitnessQuorum.Group] = []
    private(set) var quorum: (name: [UInt8], member: WitnessQuorum.Member?)?
    private var names: [[UInt8]: WitnessQuorum.Member] = [:]
    /// Names that already belong to a group.
    private var used: Set<[UInt8]> = []

    private static let none = Array("none".utf8)

    mutating func take(_ line: ArraySlice<UInt8>) throws(Problem) {
        guard line.allSatisfy({ $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }) else {
            throw Problem("the line has a control character")
        }
        let items = line.split { $0 == 0x09 || $0 == 0x20 }.map { Array($0) }
        guard let keyword = items.first, keyword.first != UInt8(ascii: "#") else { return }
        switch String(decoding: keyword, as: UTF8.self) {
        case "log": try takeLog(Array(items.dropFirst()))
        case "witness": try takeWitness(Array(items.dropFirst()))
        case "group": try takeGroup(Array(items.dropFirst()))
        case "quorum": try takeQuorum(Array(items.dropFirst()))
        default: throw Problem("a line must begin with log, witness, group or quorum")
        }
    }

    private mutating func takeLog(_ items: [[UInt8]]) throws(Problem) {
        guard (1...2).contains(items.count) else { throw Problem("expected log KEY [URL]") }
        let key = try Self.key(items[0], name: [], types: [.ed25519])
        guard !logs.contains(where: { $0.publicKey == key.publicKey }) else { throw Problem("the log is listed twice") }
        guard logs.count < TlogPolicy.maximumCount else { throw Problem("there are too many logs") }
        logs.append(key)
    }

    private mutating func takeWitness(_ items: [[UInt8]]) throws(Problem) {
        guard (2...3).contains(items.count) else { throw Problem("expected witness NAME KEY [URL]") }
        let key = try Self.key(items[1], name: items[0], types: [.cosignature, .mlDSA44Cosignature])
        guard !witnesses.contains(where: { $0.publicKey == key.publicKey }) else {
            throw Problem("the witness's key is listed twice")
        }
        guard witnesses.count < TlogPolicy.maximumCount else { throw Problem("there are too many witnesses") }
        try define(items[0], .witness(witnesses.count))
        witnesses.append(key)
    }

    private mutating func takeGroup(_ items: [[UInt8]]) throws(Problem) {
        guard items.count >= 3 else { throw Problem("expected group NAME all|any|K MEMBER…") }
        let members = items[2...]
        let threshold: Int
        switch String(decoding: items[1], as: UTF8.self) {
        case "all": threshold = members.count
        case "any": threshold = 1
        case let text:
            guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
                (1...members.count).contains(number)
            else { throw Problem("a group's threshold must be all, any, or 1 to \(members.count)") }
            threshold = number
        }
        var found: [WitnessQuorum.Member] = []
        for name in members {
            guard let member = names[name] else { throw Problem("a group member must be defined before the group") }
            guard used.insert(name).inserted else {
                throw Problem("a group member is already listed in this or another group")
            }
            found.append(member)
        }
        guard groups.count < TlogPolicy.maximumCount else { throw Problem("there are too many groups") }
        try define(items[0], .group(groups.count))
        groups.append(WitnessQuorum.Group(threshold: threshold, members: found))
    }

    private mutating func takeQuorum(_ items: [[UInt8]]) throws(Problem) {
        guard items.count == 1 else { throw Problem("expected quorum NAME") }
        guard quorum == nil else { throw Problem("there is a second quorum line") }
        let member = names[items[0]]
        guard member != nil || items[0] == Self.none else {
            throw Problem("the quorum line must name an earlier witness or group, or none")
        }
        quorum = (items[0], member)
    }

    private mutating func define(_ name: [UInt8], _ member: WitnessQuorum.Member) throws(Problem) {
        guard name != Self.none else { throw Problem("none cannot be the name of a witness or a group") }
        guard names.updateValue(member, forKey: name) == nil else { throw Problem("the name is defined twice") }
    }

    private static func key(
        _ bytes: [UInt8], name: [UInt8], types: Set<NoteSignatureType>
    ) throws(Problem) -> TlogPolicy.Key {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Problem("the key is not UTF-8") }
        let verifier: NoteVerifier
        do throws(TransparencyLogError) {
            verifier = try NoteVerifier(text: text)
        } catch {
            guard error.code == .unavailableKey else { throw Problem(error.message) }
            return TlogPolicy.Key(name: name, verifier: nil, publicKey: mlDSA44Key(bytes))
        }
        if verifier.type == .mlDSA44Cosignature, !types.contains(verifier.type) {
            return TlogPolicy.Key(name: name, verifier: nil, publicKey: verifier.publicKey)
        }
        guard types.contains(verifier.type) else {
            throw Problem("the key must have the signature type of a log or a witness")
        }
        return TlogPolicy.Key(name: name, verifier: verifier, publicKey: verifier.publicKey)
    }

    /// Returns the public key from a well-formed verifier key.
    private static func mlDSA44Key(_ text: [UInt8]) -> [UInt8] {
        let encoded = text.split(separator: UInt8(ascii: "+"), maxSplits: 2, omittingEmptySubsequences: false).last
        return Array(((try? Base64.decode(Array(encoded ?? []))) ?? []).dropFirst())
    }
}
