package directive

import (
	"fmt"
	"strconv"
	"strings"
)

// A Version is a version of nginx as nginx counts it: 1.22.1 is 1022001. The zero Version is no version.
type Version uint32

// ParseVersion reads "1.22.1"; the error names the text.
func ParseVersion(text string) (Version, error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return 0, fmt.Errorf("read version %q: three numbers are needed, as in 1.22.1", text)
	}
	var v Version
	for _, part := range parts {
		n, err := strconv.ParseUint(part, 10, 32)
		if err != nil || n > 999 {
			return 0, fmt.Errorf("read version %q: %q is no number up to 999", text, part)
		}
		v = v*1000 + Version(n)
	}
	return v, nil
}

// String writes the version as nginx does; the zero Version is empty.
func (v Version) String() string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d", v/1000000, v/1000%1000, v%1000)
}
