import ObjectStorage
import Testing

struct ObjectNameTests {
    @Test(arguments: ["a", "a/b", "tile/0/x001/234.p/17", "appstore.notifications/0/checkpoint", "A_b-c.9"])
    func `valid object names are accepted`(_ text: String) throws {
        #expect(try ObjectName(text).text == text)
    }

    @Test(arguments: [
        "", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/../b", ".hidden", "a/.new", "a b", "a\u{0}", "a\n",
        "ä", "a%2f",
        "a\\b", "a:b", String(repeating: "a", count: 201), String(repeating: "a/", count: 451) + "a",
    ])
    func `a name that leads outside the store or is ambiguous in another store is refused`(_ text: String) {
        let error = #expect(throws: ObjectStoreError.self) { try ObjectName(text) }
        #expect(error?.code == .invalidName)
        #expect(error?.message.utf8.allSatisfy { $0 >= 32 && $0 < 127 } == true)
    }

    @Test func `names are ordered by their bytes`() throws {
        let texts = ["a", "a-b", "a.p/1", "a/1", "a0", "b"]
        #expect(try texts.reversed().map { try ObjectName($0) }.sorted().map(\.text) == texts)
    }

    @Test func `a name has a folder and a last component, and can be below another name`() throws {
        let name = try ObjectName("a/b/c")
        #expect(name.folder?.text == "a/b")
        #expect(name.lastComponent == "c")
        #expect(name.components == ["a", "b", "c"])
        #expect(try ObjectName("a").folder == nil)
        #expect(try ObjectName("a").lastComponent == "a")
        #expect(try name.isBelow(ObjectName("a/b")))
        #expect(try !name.isBelow(ObjectName("a/b/c")))
        #expect(try !ObjectName("a/bc").isBelow(ObjectName("a/b")))
        #expect(try ObjectName("a").appending("b/c") == name)
        #expect(throws: ObjectStoreError.self) { try name.appending("../d") }
    }
}
