import FeedCore
import Testing

@Suite("How a tree's files are named")
struct TreeTemplateTests {
    @Test(
        "can't be nothing, lead out of the tree, or have fields that there aren't",
        arguments: [
            "", "/{title}", "{title}/", "a//b", "../{title}", "{title}/..", ".", "{tilte}", "{title", "title}", "{}",
            "{{title}}",
            "{Title}", ".{ext}",
        ])
    func refused(_ text: String) { #expect(TreeTemplate(text) == nil) }

    @Test("ends with the extension once, whether or not it says so") func extensions() {
        #expect(TreeTemplate("{feed}/{date} {title}.{ext}") == .standard)
        #expect(TreeTemplate("{feed}/{date} {title}") == .standard)
        #expect(TreeTemplate("{n}.x.{ext}")?.file == [.field(.n), .text(".x")])
        #expect(TreeTemplate("{author}/{title}")?.directories == [[.field(.author)]])
        #expect(TreeTemplate("{ext}/{id}")?.directories == [[.field(.ext)]])
    }
}
