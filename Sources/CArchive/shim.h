#include <archive.h>
#include <archive_entry.h>

/* The file types are macros with a cast in them, which Swift does not import. */
static const unsigned int feedsync_regular_file = AE_IFREG;
static const unsigned int feedsync_directory = AE_IFDIR;
static const unsigned int feedsync_symbolic_link = AE_IFLNK;
static const unsigned int feedsync_fifo = AE_IFIFO;
static const unsigned int feedsync_character_device = AE_IFCHR;
static const unsigned int feedsync_block_device = AE_IFBLK;

/* archive_set_error is variadic, which Swift does not import. */
static inline void feedsync_set_error(struct archive *archive, int code, const char *text) {
    archive_set_error(archive, code, "%s", text);
}
