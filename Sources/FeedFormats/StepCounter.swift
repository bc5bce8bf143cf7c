internal import Synchronization

/// Counts the bytes that readers go over, so that tests can show that no reader goes over the same text again and again.
/// Only debug builds count, and only while a test asks for it.
enum StepCounter {
    #if DEBUG
        private final class Total: Sendable {
            let steps = Atomic(0)
        }

        @TaskLocal private static var total: Total?

        /// The number of steps that `work` takes.
        static func count(_ work: () -> Void) -> Int {
            let counted = Total()
            $total.withValue(counted, operation: work)
            return counted.steps.load(ordering: .relaxed)
        }
    #endif

    @inline(__always)
    static func add(_ steps: @autoclosure () -> Int) {
        #if DEBUG
            total?.steps.add(steps(), ordering: .relaxed)
        #endif
    }
}
