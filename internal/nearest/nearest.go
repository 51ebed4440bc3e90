// Package nearest finds the known name that a mistyped one was meant to be.
package nearest

import "strings"

// Name returns the candidate with the smallest edit distance to the given
// name, case ignored, or "" when none is near enough to be a mistyping: more
// than a third of the name would have to change. The first of equals wins.
func Name(given string, candidates []string) string {
	best, bestDistance := "", len(given)/3+1
	for _, candidate := range candidates {
		if d := distance(strings.ToLower(given), strings.ToLower(candidate)); d < bestDistance {
			best, bestDistance = candidate, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes, with a swap of neighbours
// counted as one edit (optimal string alignment).
func distance(a, b string) int {
	previous, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], previous[j-2]+1)
			}
		}
		previous, row, next = row, next, previous
	}
	return row[len(b)]
}
