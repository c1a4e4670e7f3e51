import Testing

@testable import JSON

@Suite struct JSONWriterTests {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        String(decoding: JSONWriter.text(write), as: UTF8.self)
    }

    @Test(arguments: [0, 9, 10, -1, 1_234_567_890, .max, .min] as [Int64])
    func `a number is written with all its digits`(number: Int64) {
        #expect(text { $0.integer(number) } == String(number))
    }

    @Test func `commas separate values in arrays and objects`() {
        let written = text { writer in
            writer.object { object in
                object.set("a", 1 as Int64)
                object.array("b") { array in for number in [-1, 0, 10] as [Int64] { array.integer(number) } }
                object.name("c")
                object.plainString(count: 2) { bytes in for index in bytes.indices { bytes[index] = UInt8(ascii: "x") }
                }
                object.set("d", "y")
            }
        }
        #expect(written == #"{"a":1,"b":[-1,0,10],"c":"xx","d":"y"}"#)
    }

    @Test func `nested writers do not share memory`() {
        let written = text { writer in
            writer.array { array in
                array.integer(1)
                array.text(JSONWriter.text { $0.string("inner") })
                array.integer(2)
            }
        }
        #expect(written == #"[1,"inner",2]"#)
    }

    @Test func `the buffer grows for a long text, and the next text contains none of it`() {
        let long = String(repeating: "a", count: 100_000)
        #expect(text { $0.string(long) } == "\"\(long)\"")
        #expect(text { $0.string("b") } == #""b""#)
    }
}
