package replay

import "testing"

// Requests whose times within a second are made up stand in no window that is shorter; those of other logs beside them do.
func TestSpreadTimesMakeNoShortWindows(t *testing.T) {
	p := placeWindows{series: &Series{}}
	for i := range int64(30) {
		p.count(i*100, rejected, true)
	}
	p.count(3000, rejected, false)
	p.count(3010, delayed, false)
	p.end()
	if got := p.worst[0]; len(got) != 1 || got[0].at != 30 || got[0].requests != 2 || p.hit[0] != 1 {
		t.Errorf("windows of 100 ms: %+v, %d hit", got, p.hit[0])
	}
	if got := p.worst[1]; len(got) != 4 || got[0].requests != 10 || p.hit[1] != 4 {
		t.Errorf("windows of 1 s: %+v, %d hit", got, p.hit[1])
	}
}
