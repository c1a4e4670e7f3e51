import HTTPServer
import TestSupport
import Testing

/// Tests of the specification's inputs and their variants, and of invariants for arbitrary bytes.
struct HostileRequestTests {
    @Test func `the table contains the 129 inputs of the specification`() {
        var counts: [String: Int] = [:]
        for request in HostileRequest.specified { counts[request.id, default: 0] += 1 }
        #expect(
            counts == [
                "H-01": 4, "H-02": 9, "H-03": 4, "H-04": 2, "H-05": 3, "H-06": 2, "H-07": 2, "H-08": 13, "H-09": 15,
                "H-10": 18, "H-11": 8, "H-12": 3, "H-13": 2, "H-14": 2, "H-18": 1, "H-19": 1, "H-20": 3, "H-21": 2,
                "H-22": 2, "H-23": 2, "H-24": 1, "H-25": 1, "X-01": 1, "X-02": 3, "X-03": 2, "X-04": 1, "X-05": 2,
                "X-06": 7, "X-07": 6, "X-08": 1, "X-09": 1, "X-10": 1, "X-11": 2, "X-12": 1, "X-13": 1,
            ])
        #expect(HostileRequest.specified.count == 129)
        #expect(Set(HostileRequest.all.map(\.description)).count == HostileRequest.all.count)
    }

    @Test(arguments: HostileRequest.all)
    func `each request gets the expected verdict`(_ request: HostileRequest) {
        #expect(Wire.verdicts(request.bytes, halfClosed: request.isHalfClosed) == request.verdicts)
    }

    @Test(arguments: HostileRequest.all)
    func `the verdict is the same when bytes arrive one by one`(_ request: HostileRequest) {
        // Bytes after the end of a connection are irrelevant, so send them in one piece.
        let cuts = 0..<Wire.decidedBytes(request.bytes)
        #expect(Wire.verdicts(request.bytes, cuts: cuts, halfClosed: request.isHalfClosed) == request.verdicts)
    }

    @Test(arguments: HostileRequest.all)
    func `the verdict is the same when the request is split at any position`(_ request: HostileRequest) {
        let decided = Wire.decidedBytes(request.bytes)
        let bytes = Array(request.bytes.prefix(decided + 64))
        for cut in positions(bytes[..<min(decided, bytes.count)]) {
            let verdicts = Wire.verdicts(bytes, cuts: [cut], halfClosed: request.isHalfClosed)
            if verdicts != request.verdicts { Issue.record("cut at \(cut): \(verdicts)") }
        }
    }

    /// Returns the positions at which to cut: every position up to the decision, or for long inputs the beginning, the
    /// end and the surroundings of each line ending.
    private func positions(_ bytes: ArraySlice<UInt8>) -> [Int] {
        guard bytes.count > 2048 else { return Array(bytes.indices) }
        let lineEnds = bytes.indices.filter { bytes[$0] == 0x0A || bytes[$0] == 0x0D }
        let around = lineEnds.prefix(200).flatMap { [$0 - 1, $0, $0 + 1] }
        return Array(0..<512) + around + Array(bytes.count - 64..<bytes.count)
    }

    @Test func `mutated input gets the same verdict at every split`() {
        var random = SeededGenerator(seed: 1)
        let seeds = HostileRequest.all.filter { $0.bytes.count <= 700 }
        for _ in 0..<3000 {
            var bytes = (seeds.randomElement(using: &random)?.bytes ?? [])
            for _ in 0..<Int.random(in: 1...4, using: &random) { mutate(&bytes, &random) }
            let whole = Wire.verdicts(bytes)
            let cuts = (0..<3).map { _ in Int.random(in: 0...bytes.count, using: &random) }.sorted()
            #expect(Wire.verdicts(bytes, cuts: cuts) == whole, "\(String(decoding: bytes, as: UTF8.self)) \(cuts)")
        }
    }

    private func mutate(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        guard let position = bytes.indices.randomElement(using: &random) else { return }
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: position)
        case 2: bytes.insert("\r\n :;,\t0159afxX\0".utf8.randomElement(using: &random) ?? 0, at: position)
        default:
            let end = min(bytes.count, position + Int.random(in: 1...40, using: &random))
            bytes.insert(contentsOf: bytes[position..<end], at: bytes.indices.randomElement(using: &random) ?? 0)
        }
    }

    @Test func `the parser consumes only the bytes of the request`() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let length = Int.random(in: 1...300, using: &random)
            let request = HostileRequest.request(
                length: "Content-Length: \(length)\r\n", body: String(repeating: "x", count: length))
            let rest = (0..<Int.random(in: 0...50, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random)
            }
            let bytes = Array(request.utf8) + rest
            var parser = RequestHeadParser(limits: Limits())
            guard case .complete(let head) = parser.parse(bytes.span) else {
                Issue.record("the head is complete")
                continue
            }
            var decoder = BodyDecoder(length: length)
            var body: [UInt8] = []
            #expect(head == request.utf8.count - length)
            #expect(decoder.decode(bytes.span.extracting(head...), into: &body) == .complete(length))
            #expect(body.count == length)
        }
    }

    @Test func `a body never exceeds its limit`() {
        var wire = Wire()
        let chunk = "7fff\r\n\(String(repeating: "x", count: 0x7fff))\r\n"
        wire.feed(Array(HostileRequest.chunked(String(repeating: chunk, count: 20)).utf8)[...])
        #expect(wire.verdicts == ["413 too_large", "closed"])
        #expect(wire.largestBody <= Wire.bodyLimit)
    }
}
