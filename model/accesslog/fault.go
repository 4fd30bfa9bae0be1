package accesslog

// A Fault is what is wrong with a line.
type Fault uint8

// The faults. A line with any of them but Mixed, Took and Decision is skipped.
const (
	Fine     Fault = iota
	Cut            // it ends before its format does
	Binary         // it holds control characters, which nginx never writes
	Foreign        // it is of no known format
	NoTime         // its time is missing or cannot be read
	Back           // its time is long before that of the lines before it
	Year           // its time is far from that of its neighbours
	Long           // it is longer than LongestLine
	NoClient       // it names no client
	Mixed          // it is of another format than the log; it counts all the same
	Took           // how long it took is no time; likewise
	Decision       // what its limiter decided is no word of nginx; likewise
	faults
)

var faultWords = [faults]string{
	"fine", "cut off", "binary", "of no known format", "without a time", "of a time long before", "of a time far away", "too long", "without a client", "of another format", "with an impossible request or upstream time", "with a limit status that nginx does not write",
}

// String says it of a line: a line "cut off".
func (f Fault) String() string { return faultWords[f] }

// Kinds lists all faults.
func Kinds() []Fault {
	all := make([]Fault, 0, faults-1)
	for f := Cut; f < faults; f++ {
		all = append(all, f)
	}
	return all
}

// Name is a word for programs.
func (f Fault) Name() string {
	return [faults]string{"", "cut", "binary", "foreign", "time", "back", "year", "long", "client", "mixed", "took", "decision"}[f]
}

// Skips says whether a line with the fault is left out.
func (f Fault) Skips() bool { return f != Fine && f < Mixed }

// Faults counts what is wrong with lines, and remembers where each kind was met first.
type Faults struct {
	N     [faults]int64
	First [faults]int64 // number of the line, from 0
}

// Count notes a fault of a line.
func (f *Faults) Count(kind Fault, line int64) {
	if f.N[kind] == 0 {
		f.First[kind] = line
	}
	f.N[kind]++
}

// Add takes over what was counted in a part that begins at a line.
func (f *Faults) Add(part *Faults, begins int64) {
	for kind := range part.N {
		if part.N[kind] > 0 && f.N[kind] == 0 {
			f.First[kind] = begins + part.First[kind]
		}
		f.N[kind] += part.N[kind]
	}
}

// Skipped is how many lines were left out.
func (f *Faults) Skipped() int64 {
	n := int64(0)
	for kind := Cut; kind < faults; kind++ {
		if kind.Skips() {
			n += f.N[kind]
		}
	}
	return n
}

// FirstSkipped is the first line that was left out, and why; Fine where there is none.
func (f *Faults) FirstSkipped() (kind Fault, line int64) {
	for k := Cut; k < faults; k++ {
		if k.Skips() && f.N[k] > 0 && (kind == Fine || f.First[k] < line) {
			kind, line = k, f.First[k]
		}
	}
	return kind, line
}
