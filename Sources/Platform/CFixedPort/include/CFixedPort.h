// Lets librdkafka's mock cluster listen on chosen ports and on a chosen address, for which it has no setting.
#ifndef SLUICE_CFIXEDPORT_H
#define SLUICE_CFIXEDPORT_H

#include <stdint.h>

// While `port` is not 0, each bind of an IPv4 socket on this thread takes `port`, the next one `port` + 1, and so on,
// whatever port was asked for. 0 ends it. A port that is taken is replaced by a free one, because librdkafka aborts
// the process when bind fails: the caller compares the ports that he got with those that he wanted.
//
// The executable that links this defines `bind` for itself and the libraries it loads; on every other thread, and with
// port 0, that is the C library's own.
void fixed_port_set_next(uint16_t port);

// While `address` is not 0, each bind of an IPv4 socket on this thread takes this address, in network order. 0 ends it.
// An address that is not of this machine leaves the one that was asked for.
void fixed_port_set_address(uint32_t address);

// The first IPv4 address of a name or of numeric text, in network order; 0 when there is none.
uint32_t fixed_port_resolve(const char *host);

#endif
