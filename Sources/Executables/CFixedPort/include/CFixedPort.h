// Makes librdkafka's mock cluster listen on chosen ports and a chosen address, for which librdkafka has no setting.
#ifndef SLUICE_CFIXEDPORT_H
#define SLUICE_CFIXEDPORT_H

#include <stdint.h>

// While `port` is not 0, the first bind of an IPv4 socket on this thread uses `port`, the next one `port` + 1, and so
// on, regardless of the requested port. 0 disables this. If a port is in use, a free port is bound instead, because
// librdkafka aborts the process if bind fails. The caller must compare the actual ports with the requested ones.
//
// The executable that links this target defines `bind` for itself and for the libraries that it loads. On every other
// thread, and while both the port and the address are 0, `bind` behaves like the C library's function.
void fixed_port_set_next(uint16_t port);

// While `address` is not 0, each bind of an IPv4 socket on this thread uses this address, in network order. 0 disables
// this. If the address does not belong to this machine, the requested address is used.
void fixed_port_set_address(uint32_t address);

// Returns the first IPv4 address of a host name or a numeric address, in network order, or 0 if there is none.
uint32_t fixed_port_resolve(const char *host);

#endif
