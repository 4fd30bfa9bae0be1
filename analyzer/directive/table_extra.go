package directive

// extra holds what table has not, sorted by name.
var extra = []Variant{}
