package directive

import (
	"fmt"
	"strings"
)

// Args is the set of numbers of arguments that a directive takes.
type Args uint16

// Takes 0 to 7 arguments; Any, OneMore and TwoMore have no upper bound.
const (
	Take0 Args = 1 << iota
	Take1
	Take2
	Take3
	Take4
	Take5
	Take6
	Take7
	Any
	OneMore
	TwoMore
)

// Take says whether n arguments may be given.
func (a Args) Take(n int) bool {
	switch {
	case n < 0:
		return false
	case a&Any != 0:
		return true
	case a&OneMore != 0:
		return n >= 1
	case a&TwoMore != 0:
		return n >= 2
	}
	return n <= 7 && a&(1<<n) != 0
}

// Bounds returns the least and the greatest number of arguments; max is -1 where there is no upper bound. Not every
// number between need be allowed.
func (a Args) Bounds() (least, most int) {
	switch {
	case a&Any != 0:
		return 0, -1
	case a&OneMore != 0:
		return 1, -1
	case a&TwoMore != 0:
		return 2, -1
	}
	least = -1
	for n := range 8 {
		if a&(1<<n) != 0 {
			if least < 0 {
				least = n
			}
			most = n
		}
	}
	return max(least, 0), most
}

// String says the numbers for people: "no arguments", "1 or 2 arguments", "at least 1 argument".
func (a Args) String() string {
	switch {
	case a&Any != 0:
		return "any number of arguments"
	case a&OneMore != 0:
		return "at least 1 argument"
	case a&TwoMore != 0:
		return "at least 2 arguments"
	}
	var numbers []string
	for n := range 8 {
		if a&(1<<n) != 0 {
			numbers = append(numbers, fmt.Sprint(n))
		}
	}
	switch k := len(numbers); {
	case k == 0 || k == 1 && numbers[0] == "0":
		return "no arguments"
	case k == 1 && numbers[0] == "1":
		return "1 argument"
	case k == 1:
		return numbers[0] + " arguments"
	default:
		return strings.Join(numbers[:k-1], ", ") + " or " + numbers[k-1] + " arguments"
	}
}
