/// A value that is handed on many times and seldom looked into: each copy counts one reference, not one for each of its
/// texts.
package final class Boxed<Value: Hashable & Sendable>: Sendable {
    let value: Value

    init(_ value: Value) { self.value = value }
}

extension Boxed: Hashable {
    package static func == (left: Boxed, right: Boxed) -> Bool { left === right || left.value == right.value }

    package func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
