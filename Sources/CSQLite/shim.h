#include <sqlite3.h>

/* SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift does not import. */
/* To SQLite, a text that is nowhere is none, not an empty one. */
static inline int feedsync_bind_text(sqlite3_stmt *statement, int index, const unsigned char *text, int count) {
    return sqlite3_bind_text(statement, index, text ? (const char *)text : "", count, SQLITE_TRANSIENT);
}

static inline int feedsync_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/* sqlite3_db_config is variadic, which Swift does not import. */
static inline int feedsync_configure(sqlite3 *database, int option, int on) {
    return sqlite3_db_config(database, option, on, (int *)0);
}

/* What the system last said of the log. Of a commit that fails, sqlite3_system_errno doesn't know. */
static inline int feedsync_log_errno(sqlite3 *database) {
    sqlite3_file *log = 0;
    int error = 0;
    if (sqlite3_file_control(database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log) == SQLITE_OK && log && log->pMethods)
        log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &error);
    return error;
}

/* sqlite3_config is variadic too. */
static inline int feedsync_count_no_memory(void) { return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
