package load

import "path"

// shipped are the files that nginx itself puts beside nginx.conf (the folder conf of its source): media types, parameters
// of FastCGI, SCGI and uwsgi, and character sets. None holds a limit, a location or a trusted proxy. Repositories of
// configurations often leave them out, since the package brings them.
var shipped = map[string]bool{
	"fastcgi.conf": true, "fastcgi_params": true, "koi-utf": true, "koi-win": true, "mime.types": true,
	"scgi_params": true, "uwsgi_params": true, "win-utf": true,
}

// lacking notes a file that an include names and that is not followed.
func (f *follower) lacking(inc include, name, reason string) {
	before := len(f.in.Problems)
	f.in.problem(inc.at.Span(), reason)
	if len(f.in.Problems) == before || !shipped[path.Base(name)] {
		return
	}
	_, unopened := f.from.open(name) // else it was, and leads back to itself
	f.in.Problems[before].Shipped = unopened != ""
}

// Decisive says that all was read on which a judgement of limits can rest: of what lacks, if anything does, it is known
// what stands in it.
func (in *Input) Decisive() bool {
	for i := range in.Problems {
		if !in.Problems[i].Shipped {
			return false
		}
	}
	return in.LeftOut == 0 && in.understood()
}
