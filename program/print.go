package program

import (
	"fmt"
	"strings"
)

// String prints a program, one operation a line.
func (p *Program) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "program %s\n", p.Name)
	names := p.names()
	for i, n := range p.Nodes {
		if n.Region > 0 {
			if !p.continues(i) {
				fmt.Fprintf(&s, "  for chunks of %d %v:\n", p.Regions[n.Region-1].Edges, p.Regions[n.Region-1].Over)
			}
			s.WriteString("  ")
		}
		if _, ok := n.Op.(Effect); ok {
			fmt.Fprintf(&s, "  %v%s\n", n.Op, operands(names, n.In))
			continue
		}
		fmt.Fprintf(&s, "  %s = %v%s : %v%s\n", names[i], n.Op, operands(names, n.In), n.Type, remarks(n))
	}
	for _, o := range p.Outputs {
		fmt.Fprintf(&s, "  return %s = %s\n", o.Name, names[o.Value])
	}
	return s.String()
}

// names gives each value a short name: leaves their own, others v and a number.
func (p *Program) names() []string {
	names := make([]string, len(p.Nodes))
	next := 0
	for i, n := range p.Nodes {
		if l, ok := n.Op.(Leaf); ok {
			_, names[i], _ = strings.Cut(l.Slot(), ".")
			continue
		}
		names[i] = fmt.Sprintf("v%d", next)
		next++
	}
	return names
}

func operands(names []string, in []Value) string {
	if len(in) == 0 {
		return ""
	}
	s := make([]string, len(in))
	for i, v := range in {
		s[i] = names[v]
	}
	return " (" + strings.Join(s, ", ") + ")"
}

func remarks(n Node) string {
	s := ""
	if n.Layer >= 0 {
		s += fmt.Sprintf("  layer %d", n.Layer)
	}
	if n.Stage == Pre {
		s += "  once"
	}
	return s
}
