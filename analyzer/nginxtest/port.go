package nginxtest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"
)

// firstPort and lastPort bound the ports that tests listen on. They lie below those that systems give to clients' own ends
// of connections: one of those may be free when it is looked for, and the end of somebody's connection a moment later.
const firstPort, lastPort = 20_000, 32_000

// Port returns a TCP port of the loopback interface that nothing listens on, and that no other test is given until this
// one has ended: neither in this process nor in another.
func Port(t testing.TB) int {
	t.Helper()
	for range lastPort - firstPort {
		port := firstPort + rand.IntN(lastPort-firstPort)
		address := fmt.Sprintf("127.0.0.1:%d", port)
		held, err := net.ListenPacket("udp4", address) // UDP's port of the same number marks it: no test uses one
		if err != nil {
			continue
		}
		l, err := net.Listen("tcp4", address)
		if err != nil {
			_ = held.Close()
			continue
		}
		_ = l.Close()
		t.Cleanup(func() { _ = held.Close() })
		return port
	}
	t.Fatalf("no port between %d and %d is free", firstPort, lastPort)
	return 0
}
