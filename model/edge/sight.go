package edge

import "slices"

// A Sight is what is known of requests that come from a log: a header that it does not hold may have been sent or not.
// Method, host and target are known.
type Sight struct {
	Headers []string // names in small letters whose values are known, also where nothing was sent
	Cookies []string // likewise
	Query   bool     // the target has its query
	Scheme  bool     // Request.Scheme is what the visitor used
}

// Knows says whether it is known if and how a header was sent. The name is in small letters.
func (r *Request) Knows(header string) bool {
	return r.Sight == nil || header == "host" || slices.Contains(r.Sight.Headers, header)
}

// KnowsCookie says the same of a cookie.
func (r *Request) KnowsCookie(name string) bool {
	return r.Knows("cookie") || slices.Contains(r.Sight.Cookies, name)
}

// KnowsAll says whether everything about the request is known.
func (r *Request) KnowsAll() bool { return r.Sight == nil }

// Reads is what the rules of a layer look at, beside the method, the host and the path. Names are in small letters.
type Reads struct {
	Headers []string
	Cookies []string
	Query   bool
	Answers bool     // answers: Observe does something
	Answer  []string // headers of them
}

// AddHeader notes a header.
func (r *Reads) AddHeader(name string) { add(&r.Headers, Lower(name)) }

// AddCookie notes a cookie.
func (r *Reads) AddCookie(name string) { add(&r.Cookies, name) }

// AddAnswer notes a header of answers.
func (r *Reads) AddAnswer(name string) { add(&r.Answer, Lower(name)) }

func add(list *[]string, name string) {
	if at, found := slices.BinarySearch(*list, name); !found {
		*list = slices.Insert(*list, at, name)
	}
}
