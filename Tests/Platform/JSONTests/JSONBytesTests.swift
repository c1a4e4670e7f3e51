import Testing

@testable import JSON

/// Tests of scanning long strings in blocks. A special byte at any index of a block must end the scan.
@Suite struct JSONBytesTests {
    private func firstSpecial(_ text: [UInt8], from start: Int = 0) -> Int {
        JSONBytes.firstSpecial(in: text.span, from: start)
    }

    @Test func `a special byte is found at every index`() {
        for special in [0x22, 0x5C, 0x00, 0x1F, 0x80, 0xC3, 0xFF] as [UInt8] {
            for place in 0..<200 {
                var text = [UInt8](repeating: UInt8(ascii: "a"), count: 200)
                text[place] = special
                #expect(firstSpecial(text) == place, "\(special) at \(place)")
            }
        }
    }

    @Test func `no other byte is reported as special`() {
        for byte in 0x20...0x7F as ClosedRange<UInt8> where byte != 0x22 && byte != 0x5C {
            let text = [UInt8](repeating: byte, count: 300)
            #expect(firstSpecial(text) == 300, "\(byte)")
        }
    }

    @Test(arguments: 0..<40)
    func `the search starts at the given index and stops at the end of the text`(start: Int) {
        let text = [UInt8(ascii: "\"")] + [UInt8](repeating: UInt8(ascii: "a"), count: 150) + [UInt8(ascii: "\"")]
        #expect(firstSpecial(text, from: start) == (start == 0 ? 0 : 151))
        #expect(firstSpecial(Array(text[..<151]), from: start + 1) == 151)
    }
}
