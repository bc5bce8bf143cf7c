/// Does what a run that was stopped has to do all the same: in a task of its own, which nobody cancels.
func uncancelled<Outcome: Sendable>(_ work: @escaping @Sendable () async -> Outcome) async -> Outcome {
    await Task { await work() }.value
}
