package cost

import (
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"
)

var latex = style{
	times: " ", minus: "-",
	symbol: latexSymbol,
	power:  latexPower,
	log: func(arg string, p int) string {
		log := `\lceil\log_2 ` + arg + `\rceil`
		if p == 1 {
			return log
		}
		return latexPower(log, p)
	},
	call: func(name string, args []string) string {
		return `\` + name + "(" + strings.Join(args, ", ") + ")"
	},
	coefficient: func(abs *big.Rat) string {
		if abs.IsInt() {
			return abs.RatString()
		}
		return fmt.Sprintf(`\frac{%v}{%v}`, abs.Num(), abs.Denom())
	},
	quotient: func(kind atomKind, a, b string) string {
		if kind == ceilAtom {
			return `\lceil ` + a + "/" + b + `\rceil`
		}
		return `\lfloor ` + a + "/" + b + `\rfloor`
	},
}

func latexPower(base string, p int) string { return fmt.Sprintf("%s^{%d}", base, p) }

// latexSymbol writes hats, ℓ, words and indices: d̂_out is \hat{d}_{\mathrm{out}}.
func latexSymbol(name string) string {
	base, index, indexed := strings.Cut(name, "_")
	letter, hat := strings.CutSuffix(base, "\u0302")
	letter = latexWord(strings.ReplaceAll(letter, Loops, `\ell`))
	if hat {
		letter = `\hat{` + letter + "}"
	}
	if indexed {
		letter += "_{" + latexWord(index) + "}"
	}
	return letter
}

// latexWord sets words upright; letters, numbers and commands stay as they are.
func latexWord(s string) string {
	digits := strings.Trim(s, "0123456789") == ""
	if digits || utf8.RuneCountInString(s) == 1 || strings.HasPrefix(s, `\`) {
		return s
	}
	return `\mathrm{` + s + "}"
}
