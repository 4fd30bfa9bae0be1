package value

import "math"

// split is a split_clients block.
type split struct {
	source Template
	parts  []splitPart
}

type splitPart struct {
	percent uint32 // hundredths of a percent; 0 for "*"
	below   uint32 // hashes below this bound take the part; 0 takes all
	value   string
}

// SplitClients adds a split_clients block: the block's two arguments, and its entries as words. What nginx would refuse
// is returned; the good entries are kept all the same.
func (d *Definitions) SplitClients(args []string, entries [][]string) []Problem {
	var p problems
	if len(args) != 2 {
		p.refuse(-1, "invalid number of arguments in \"split_clients\" directive")
		return p
	}
	s := &split{}
	var err error
	if s.source, err = Parse(args[0]); err != nil {
		p.refuse(-1, "%s", err)
	}
	for i, words := range entries {
		s.add(&p, i, words)
	}
	s.bound(&p)
	d.define(&p, args[1], s)
	return p
}

func (s *split) add(p *problems, i int, words []string) {
	if len(words) == 0 {
		return
	}
	part := splitPart{}
	if len(words) > 1 {
		part.value = words[1]
	}
	if share := words[0]; share != "*" {
		percent, ok := hundredths(share)
		if !ok {
			p.refuse(i, "invalid percent value \"%s\"", share)
			return
		}
		part.percent = percent
	}
	s.parts = append(s.parts, part)
}

// hundredths reads "0.5%" as 50: at most two decimals, not zero.
func hundredths(text string) (uint32, bool) {
	n := len(text) - 1
	if n < 1 || text[n] != '%' {
		return 0, false
	}
	v, decimals, dot := uint64(0), 2, false
	for i := range n {
		c := text[i]
		switch {
		case decimals == 0:
			return 0, false
		case c == '.' && !dot:
			dot = true
			continue
		case c < '0' || c > '9' || v > math.MaxInt64/10-10:
			return 0, false
		}
		v = v*10 + uint64(c-'0')
		if dot {
			decimals--
		}
	}
	for ; decimals > 0; decimals-- {
		if v > math.MaxInt64/10 {
			return 0, false
		}
		v *= 10
	}
	return uint32(v), v != 0
}

// bound turns shares into bounds of the hash, in nginx's whole-number arithmetic.
func (s *split) bound(p *problems) {
	var sum, last uint32
	for i := range s.parts {
		part := &s.parts[i]
		if part.percent == 0 {
			sum = 10000
			continue
		}
		if sum += part.percent; sum > 10000 {
			p.refuse(-1, "percent total is greater than 100%%")
			return
		}
		last += uint32(uint64(part.percent) * math.MaxUint32 / 10000)
		part.below = last
	}
}

func (s *split) volatile() bool { return false }

func (s *split) sources() []string { return s.source.Variables() }

func (s *split) value(r *Request) Value {
	source := s.source.Eval(r)
	text, known := source.Known()
	if !known {
		if one, same := s.single(); same {
			return Of(one)
		}
		return source
	}
	hash := murmur2(text)
	for _, part := range s.parts {
		if hash < part.below || part.percent == 0 {
			return Of(part.value)
		}
	}
	return Value{}
}

// single returns the value that every hash leads to, if there is one.
func (s *split) single() (string, bool) {
	for i, part := range s.parts {
		if part.value != s.parts[0].value {
			return "", false
		}
		if part.percent == 0 {
			return s.parts[0].value, true
		}
		if i == len(s.parts)-1 {
			return "", part.value == ""
		}
	}
	return "", true
}

// murmur2 is MurmurHash2 with 32 bits and seed 0.
func murmur2(s string) uint32 {
	const m = 0x5bd1e995
	h := uint32(len(s))
	for ; len(s) >= 4; s = s[4:] {
		k := uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
		k *= m
		k ^= k >> 24
		h = h*m ^ k*m
	}
	for i := len(s) - 1; i >= 0; i-- {
		h ^= uint32(s[i]) << (8 * i)
	}
	if len(s) > 0 {
		h *= m
	}
	h ^= h >> 13
	h *= m
	return h ^ h>>15
}
