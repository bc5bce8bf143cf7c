/// Gives each name once. A name that is taken gets a number after it.
package struct DistinctNames: Sendable {
    private var taken: Set<String>
    /// The first number after each name that can be free. Counting from 2 for every name would take quadratic time.
    private var numbers: [String: Int] = [:]

    package init(taken: Set<String> = []) { self.taken = taken }

    package mutating func name(like wanted: String) -> String {
        var name = wanted
        while !taken.insert(name).inserted {
            let number = numbers[wanted, default: 2]
            numbers[wanted] = number + 1
            name = "\(wanted)-\(number)"
        }
        return name
    }
}
