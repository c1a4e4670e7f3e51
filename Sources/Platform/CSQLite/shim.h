#ifndef SLUICE_CSQLITE_SHIM_H
#define SLUICE_CSQLITE_SHIM_H

#include <sqlite3.h>

// Each connection has its first pages in one block of so many KiB, instead of a block for each page: a reader drops all of
// them whenever the database has changed. Before any connection is opened; variadic, which Swift does not import.
static inline void sluice_page_memory(int kibibytes) {
    sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, -kibibytes);
}

// Binds an empty text: with a null address SQLite would bind null.
static inline int sluice_bind_empty_text(sqlite3_stmt *statement, int position) {
    return sqlite3_bind_text(statement, position, "", 0, SQLITE_STATIC);
}

#endif
