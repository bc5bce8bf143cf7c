/// What an item says, whose beginning stands in for words on its pictures.
struct ItemText {
    let text: String
    /// Else it is HTML.
    var isPlain = false
}
