package cost

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// String prints e as "2·m̂·k + n·k²": terms in a fixed order, a positive
// constant first.
func (e Expr) String() string { return plain.expr(e) }

// MarshalText writes e as [Expr.String] does; in JSON an Expr is a string.
func (e Expr) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// Latex prints e for LaTeX's math mode: "2 \hat{m} k + n k^{2}".
func (e Expr) Latex() string { return latex.expr(e) }

// style is a way of writing expressions: plain text, LaTeX, or the inside of O(·).
type style struct {
	times, minus string
	symbol       func(name string) string
	// power raises what base prints to p ≥ 2.
	power func(base string, p int) string
	// log prints ⌈log₂ arg⌉ or log arg, to the power of p ≥ 1.
	log         func(arg string, p int) string
	call        func(name string, args []string) string
	coefficient func(abs *big.Rat) string
	quotient    func(kind atomKind, a, b string) string
}

var plain = style{
	times: "·", minus: "−",
	symbol:      func(name string) string { return name },
	power:       func(base string, p int) string { return base + superscript(p) },
	log:         func(arg string, p int) string { return "⌈log₂" + spaced(arg) + "⌉" + exponentOf(p) },
	call:        func(name string, args []string) string { return name + "(" + strings.Join(args, ", ") + ")" },
	coefficient: (*big.Rat).RatString,
	quotient: func(kind atomKind, a, b string) string {
		if kind == ceilAtom {
			return "⌈" + a + "/" + b + "⌉"
		}
		return "⌊" + a + "/" + b + "⌋"
	},
}

// growth prints as plain does, except that logarithms have no base and no brackets.
var growth = func() style {
	s := plain
	s.log = func(arg string, p int) string { return "log" + exponentOf(p) + spaced(arg) }
	return s
}()

// expr prints a sum.
func (s style) expr(e Expr) string {
	if e.IsZero() {
		return "0"
	}
	var b strings.Builder
	for i, t := range printOrder(e.terms) {
		switch {
		case i == 0 && t.coef.Sign() < 0:
			b.WriteString(s.minus)
		case i > 0 && t.coef.Sign() < 0:
			b.WriteString(" " + s.minus + " ")
		case i > 0:
			b.WriteString(" + ")
		}
		b.WriteString(s.term(t))
	}
	return b.String()
}

// printOrder moves a constant, which is last, to the front if it is positive.
func printOrder(terms []term) []term {
	last := len(terms) - 1
	if c := terms[last]; len(c.mono) > 0 || c.coef.Sign() < 0 {
		return terms
	}
	return append([]term{terms[last]}, terms[:last]...)
}

// term prints the absolute value of t, counts of repetitions in front.
func (s style) term(t term) string {
	var parts []string
	if abs := new(big.Rat).Abs(t.coef); len(t.mono) == 0 || abs.Cmp(one) != 0 {
		parts = append(parts, s.coefficient(abs))
	}
	repeats := slices.IndexFunc(t.mono, func(f factor) bool { return f.atom.rank == repeatRank })
	if repeats < 0 {
		repeats = len(t.mono)
	}
	for _, f := range slices.Concat(t.mono[repeats:], t.mono[:repeats]) {
		parts = append(parts, s.factor(f))
	}
	return strings.Join(parts, s.times)
}

func (s style) factor(f factor) string {
	a := f.atom
	if a.kind == log2Atom {
		return s.log(s.operand(a.args[0]), f.exp)
	}
	base := s.atom(a)
	if f.exp == 1 {
		return base
	}
	return s.power(base, f.exp)
}

func (s style) atom(a *atom) string {
	switch a.kind {
	case symbolAtom:
		return s.symbol(a.name)
	case ceilAtom, floorAtom:
		return s.quotient(a.kind, s.operand(a.args[0]), s.operand(a.args[1]))
	}
	args := make([]string, len(a.args))
	for i, arg := range a.args {
		args[i] = s.expr(arg)
	}
	if a.kind == maxAtom {
		return s.call("max", args)
	}
	return s.call("min", args)
}

// operand prints e in parentheses unless it is a single symbol or number.
func (s style) operand(e Expr) string {
	text := s.expr(e)
	v, constant := e.value()
	if a := e.single(); a != nil && a.kind == symbolAtom || constant && v.IsInt() && v.Sign() >= 0 {
		return text
	}
	return "(" + text + ")"
}

// spaced sets a name apart from the function before it; parentheses need no space.
func spaced(arg string) string {
	if strings.HasPrefix(arg, "(") {
		return arg
	}
	return " " + arg
}

func exponentOf(p int) string {
	if p == 1 {
		return ""
	}
	return superscript(p)
}

func superscript(p int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var b strings.Builder
	for _, d := range strconv.Itoa(p) {
		b.WriteRune(digits[d-'0'])
	}
	return b.String()
}
