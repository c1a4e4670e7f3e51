internal import Dispatch

/// A read source that can be shared between threads.
struct ReadSource: @unchecked Sendable {
    // @unchecked Sendable because Dispatch objects may be used from any thread.
    let source: any DispatchSourceRead
}

/// A timer that can be shared between threads.
struct TimerSource: @unchecked Sendable {
    // @unchecked Sendable because Dispatch objects may be used from any thread.
    let source: any DispatchSourceTimer
}
