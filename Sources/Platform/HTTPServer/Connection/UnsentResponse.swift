/// The part of a response that the socket has not accepted yet.
struct UnsentResponse {
    private var parts: [[UInt8]] = []
    private var position = 0
    private(set) var count = 0

    init() {}

    /// Stores `head` from `headPosition` and `body` from `bodyPosition`.
    init(head: [UInt8], from headPosition: Int, body: [UInt8], from bodyPosition: Int) {
        if headPosition < head.count { parts.append(Array(head[headPosition...])) }
        if bodyPosition < body.count {
            position = parts.isEmpty ? bodyPosition : 0
            parts.append(body)
        }
        count = head.count - headPosition + body.count - bodyPosition
    }

    /// Calls `send` with the remaining bytes until there are none or `send` accepts none.
    mutating func drain(_ send: (UnsafeRawBufferPointer) -> Int) {
        while let part = parts.first {
            let sent = part.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[position...])) }
            guard sent > 0 else { return }
            position += sent
            count -= sent
            if position == part.count {
                parts.removeFirst()
                position = 0
            }
        }
    }
}
