#ifndef SLUICE_CSQLITE_SHIM_H
#define SLUICE_CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast of -1 to a function pointer, which Swift does not import.
static inline int sluice_bind_text(sqlite3_stmt *statement, int position, const char *text, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, position, text, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int sluice_bind_blob(sqlite3_stmt *statement, int position, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, position, bytes, count, SQLITE_TRANSIENT);
}

#endif
