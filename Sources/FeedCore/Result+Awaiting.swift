extension Result {
    /// What comes of the work, as a value: tasks and their groups forget the type of an error.
    package init(awaiting work: () async throws(Failure) -> Success) async {
        do throws(Failure) { self = .success(try await work()) } catch { self = .failure(error) }
    }
}
