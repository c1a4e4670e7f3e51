package import JSON

extension JSONWriter {
    /// Writes a moment in Apple's format, milliseconds since 1970. Writes nothing if the moment is nil.
    package mutating func set(_ name: StaticString, _ value: AppStoreInstant?) {
        set(name, value?.millisecondsSince1970)
    }
}
