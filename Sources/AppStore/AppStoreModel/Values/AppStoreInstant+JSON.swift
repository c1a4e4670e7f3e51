package import JSON

extension JSONWriter {
    /// Writes a moment in Apple's format, milliseconds since 1970; nothing when nil.
    package mutating func set(_ name: StaticString, _ value: AppStoreInstant?) {
        set(name, value?.millisecondsSince1970)
    }
}
