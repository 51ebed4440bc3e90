package demo

// The symbols that faults befall, each by its own, so that every finding can
// be traced to one fault.
const (
	symbolGarbage  = "INTC"
	symbolDisorder = "AAPL"
	symbolSkewed   = "MSFT"
	symbolStalled  = "TSLA"
	symbolHot      = "GME"
	symbolGap      = "ORCL"
	symbolUnit     = "CSCO"
	symbolFrozen   = "ADBE"
	symbolHalted   = "QCOM"
	symbolBackfill = "META"
	symbolStray    = "GOOG"
)

// symbolsVenue are those of the venue whose clock goes wrong.
var symbolsVenue = []string{"JPM", "V", "KO", "PEP", "IBM"}

// symbolsCRC32 are written by the crc32 producer too. Both hashes must
// disagree on them, or no symbol would be split.
var symbolsCRC32 = []string{"NVDA", "AMZN"}

// wellKnown are the first symbols of the market.
var wellKnown = []string{
	symbolGarbage, symbolDisorder, symbolSkewed, symbolStalled, symbolHot, "NVDA", "AMZN",
	"GOOG", "META", "NFLX", "ORCL", "CSCO", "ADBE", "QCOM", "AMD", "IBM", "KO", "PEP", "JPM", "V",
}

// Symbols are the market's symbols: well-known ones, then made-up ones of four
// letters. They do not depend on the seed, so neither does the partition of a
// fault.
func Symbols() []string {
	const consonants, vowels = "BDFGKLMNPRSTVZ", "AEIOU"
	names := append([]string(nil), wellKnown...)
	for i := 0; len(names) < symbolCount; i++ {
		n := i * 37 % (len(consonants) * len(vowels) * len(consonants))
		first, n := n%len(consonants), n/len(consonants)
		vowel, last := n%len(vowels), n/len(vowels)
		names = append(names, string([]byte{consonants[first], vowels[vowel], consonants[last], 'X'}))
	}
	return names
}
