// Package spelling guesses what a misspelt name stands for. It knows no names.
package spelling

import "strings"

// Nearest returns the candidate that a misspelt word most likely stands for; "" where none is near.
func Nearest(word string, candidates []string) string {
	const longest = 64 // nobody mistypes more
	if len(word) > longest {
		return ""
	}
	word = strings.ToLower(word)
	best, limit := "", max(2, len(word)/3)+1
	for _, c := range candidates {
		if d := distance(word, strings.ToLower(c)); d < limit {
			best, limit = c, d
		}
	}
	if best == "" && len(word) >= 4 {
		for _, c := range candidates {
			if strings.Contains(strings.ToLower(c), word) {
				return c
			}
		}
	}
	return best
}

// distance counts insertions, deletions, replacements and swaps of neighbours between two words.
func distance(a, b string) int {
	older := make([]int, len(b)+1)
	last := make([]int, len(b)+1)
	row := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], older[j-2]+1)
			}
		}
		older, last, row = last, row, older
	}
	return last[len(b)]
}
