import Primitives
import Testing

@Suite struct KernelFileTests {
    /// The kernel returns at most a page at a time, and the stack is among the last mappings.
    @Test func `a file of several pages is read to its end`() throws {
        let maps = try #require(KernelFile.text("/proc/self/maps"))
        #expect(maps.utf8.count > 8192)
        #expect(maps.contains("[stack]"))
        #expect(maps.hasSuffix("\n"))
    }

    @Test func `a file that does not exist has no text`() {
        #expect(KernelFile.text("/proc/self/nothing") == nil)
    }
}
