extension Dictionary where Value == Int {
    /// The key's number: that of its first time, from 0 on. One look-up does for both, to find it and to give it.
    package mutating func number(of key: Key) -> Int {
        let next = count
        return Self.value(&self[key, default: next])
    }

    private static func value(_ entry: inout Int) -> Int { entry }
}
