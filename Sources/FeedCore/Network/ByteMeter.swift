import Synchronization

/// Counts the bytes of bodies as they come, over all requests.
package final class ByteMeter: Sendable {
    private let count = Atomic<Int64>(0)

    package init() {}

    package var bytes: Int64 { count.load(ordering: .relaxed) }

    func add(_ bytes: Int) { count.wrappingAdd(Int64(bytes), ordering: .relaxed) }
}
