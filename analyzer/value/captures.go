package value

// ForgetCaptures empties $1 to $9, as the rewrite module does when a regex of its own does not match. Named captures
// stay.
func (r *Request) ForgetCaptures() { r.captures, r.subject, r.lost = nil, "", "" }
