package value

import (
	"strings"

	"github.com/ngxlimit/ngxlimit/analyzer/hostname"
)

// Builtin says whether nginx itself gives the variable of that name (without "$"), in one of its versions and with one
// of its own modules. It does not look at what a configuration defines; Definitions.Defined does.
func Builtin(name string) bool {
	name = hostname.Lower(name)
	if _, ok := builtins[name]; ok {
		return true
	}
	for _, p := range prefixes {
		if strings.HasPrefix(name, p.prefix) {
			return true
		}
	}
	return strings.HasPrefix(name, "proxy_internal_") || name == "grpc_internal_trailers"
}
