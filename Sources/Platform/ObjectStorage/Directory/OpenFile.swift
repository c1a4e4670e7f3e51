/// An open file. Its descriptor is closed when the last reference is released.
final class OpenFile: Sendable {
    let descriptor: Int32
    private let calls: any FileCalls

    init(_ descriptor: Int32, _ calls: any FileCalls) {
        self.descriptor = descriptor
        self.calls = calls
    }

    deinit { calls.close(descriptor) }
}
