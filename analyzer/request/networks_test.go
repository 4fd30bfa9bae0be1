package request

import (
	"net/netip"
	"testing"

	"pgregory.net/rapid"
)

// Networks answers as Contains does, for addresses at and beside the ends of networks, mapped ones and those of a zone.
func TestNetworksTwin(t *testing.T) {
	bytes := rapid.SampledFrom([]byte{0, 1, 9, 10, 11, 127, 128, 255})
	address := rapid.Custom(func(t *rapid.T) netip.Addr {
		var b [16]byte
		for i := range b {
			b[i] = bytes.Draw(t, "byte")
		}
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0, 1:
			return netip.AddrFrom4([4]byte(b[:4]))
		case 2:
			return netip.AddrFrom16(netip.AddrFrom4([4]byte(b[:4])).As16())
		case 3:
			return netip.AddrFrom16(b).WithZone("eth0")
		}
		return netip.AddrFrom16(b)
	})
	rapid.Check(t, func(t *rapid.T) {
		var list []netip.Prefix
		for range rapid.IntRange(0, 12).Draw(t, "networks") {
			a := address.Draw(t, "network")
			list = append(list, netip.PrefixFrom(a, rapid.IntRange(-1, a.BitLen()).Draw(t, "bits")))
		}
		n := NewNetworks(list)
		for range 30 {
			a := address.Draw(t, "address")
			if len(list) > 0 && rapid.Bool().Draw(t, "near") {
				a = rapid.SampledFrom(list).Draw(t, "of").Masked().Addr()
				if rapid.Bool().Draw(t, "before") {
					a = a.Prev()
				}
			}
			if got, want := n.Contains(a), Contains(list, a); got != want {
				t.Fatalf("%v in %v: %v, one by one %v", a, list, got, want)
			}
		}
	})
}
