#ifndef SLUICE_CSQLITE_SHIM_H
#define SLUICE_CSQLITE_SHIM_H

#include <sqlite3.h>

// Makes each connection allocate its first pages as one block of this many KiB instead of one block per page. A reader
// drops all its pages whenever the database has changed, and would otherwise free and allocate each of them again. Call
// it before opening any connection. The wrapped function is variadic, so Swift cannot import it.
static inline void sluice_page_memory(int kibibytes) {
    sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, -kibibytes);
}

// Binds an empty string. For a null pointer, SQLite would bind NULL.
static inline int sluice_bind_empty_text(sqlite3_stmt *statement, int position) {
    return sqlite3_bind_text(statement, position, "", 0, SQLITE_STATIC);
}

#endif
