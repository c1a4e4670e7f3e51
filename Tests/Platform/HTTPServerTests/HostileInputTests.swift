import HTTPServer
import TestSupport
import Testing

struct HostileInputTests {
    @Test(arguments: HostileInput.all)
    func `an input gets its verdict`(_ input: HostileInput) {
        #expect(Wire.verdicts(input.bytes) == input.verdicts)
    }

    @Test(arguments: HostileInput.all.filter { $0.bytes.count <= 32 * 1024 })
    func `the verdict is the same byte by byte`(_ input: HostileInput) {
        #expect(Wire.verdicts(input.bytes, cuts: input.bytes.indices) == input.verdicts)
    }

    @Test(arguments: HostileInput.all.filter { $0.bytes.count <= 400 })
    func `the verdict is the same for a cut at each position`(_ input: HostileInput) {
        for cut in input.bytes.indices where Wire.verdicts(input.bytes, cuts: [cut]) != input.verdicts {
            Issue.record("cut at \(cut)")
        }
    }

    @Test func `mutated input gets the same verdict however it is cut`() {
        var random = SeededGenerator(seed: 1)
        let seeds = HostileInput.all.filter { $0.bytes.count <= 700 }
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

    @Test func `no more bytes are taken than belong to the request`() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<500 {
            let length = Int.random(in: 1...300, using: &random)
            let request = HostileInput.request(
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

    @Test func `a body never grows beyond its limit`() {
        var wire = Wire()
        let chunk = "7fff\r\n\(String(repeating: "x", count: 0x7fff))\r\n"
        wire.feed(Array(HostileInput.chunked(String(repeating: chunk, count: 20)).utf8)[...])
        #expect(wire.verdicts == ["413 too_large", "closed"])
        #expect(wire.largestBody <= Wire.bodyLimit)
    }
}
