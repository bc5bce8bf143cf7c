internal import Synchronization

/// Counts the bytes that readers process, so that tests can prove that each text is read a bounded number of times.
///
/// It counts only in debug builds, and only when a test asks for it.
enum StepCounter {
    #if DEBUG
        private final class Total: Sendable {
            let steps = Atomic(0)
        }

        @TaskLocal private static var total: Total?

        /// Returns the number of steps that `work` takes.
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
