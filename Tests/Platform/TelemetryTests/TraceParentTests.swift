import Testing

@testable import Telemetry

@Suite struct TraceParentTests {
    static let valid = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func `the specification's example is parsed and formatted`() throws {
        let parent = try #require(TraceParent.parse(Self.valid))
        #expect(parent.traceId == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(parent.parentId == "00f067aa0ba902b7")
        #expect(parent.flags == 1)
        #expect(parent.text == Self.valid)
    }

    @Test(arguments: [
        "", "00", valid + "-", valid + "0", " " + valid, valid + " ", valid.uppercased(),
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "0-04bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
        "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what",
        "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01what",
        "00-4bf92f3577b34da6a3ce929d0e0e47é-00f067aa0ba902b7-01",
    ])
    func `any other text is refused`(text: String) {
        #expect(TraceParent.parse(text) == nil)
    }

    @Test func `a later version is parsed like version 00`() throws {
        let later = try #require(TraceParent.parse("cc" + Self.valid.dropFirst(2) + "-what-the-future-brings"))
        #expect(later.text == Self.valid)
    }

    @Test func `a child keeps the trace id and has a new span id`() throws {
        let parent = try #require(TraceParent.parse(Self.valid.dropLast(2) + "ff"))
        let child = parent.child()
        #expect(child.traceId == parent.traceId)
        #expect(child.parentId != parent.parentId)
        #expect(child.flags == 3)
        #expect(TraceParent.parse(child.text) == child)
        #expect(TraceParent.random() != TraceParent.random())
        #expect(TraceParent.parse(TraceParent.random().text) != nil)
    }
}
