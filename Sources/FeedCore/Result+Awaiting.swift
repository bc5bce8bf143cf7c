extension Result {
    /// Makes a value of an awaited result, because tasks and task groups lose the type of an error.
    package init(awaiting work: () async throws(Failure) -> Success) async {
        do throws(Failure) { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
