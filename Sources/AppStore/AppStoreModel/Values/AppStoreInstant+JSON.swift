package import JSON

extension JSONWriter {
    /// Writes a time in Apple's format, milliseconds since 1970. Writes nothing if the time is nil.
    package mutating func set(_ name: StaticString, _ value: AppStoreInstant?) {
        set(name, value?.millisecondsSince1970)
    }
}
