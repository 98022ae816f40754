package model

import (
	"fmt"
	"slices"
	"strings"
)

// MarshalText writes what is watched, such as "loss".
func (m Monitor) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads it.
func (m *Monitor) UnmarshalText(text []byte) error {
	return fromText(m, "monitor", text, ValLoss, ValMetric, ValEither)
}

// MarshalText writes the loss's name.
func (l Loss) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads it.
func (l *Loss) UnmarshalText(text []byte) error {
	return fromText(l, "loss", text, CrossEntropy, SquaredError, BinaryCrossEntropy)
}

// fromText sets *to to the value whose text is given.
func fromText[T fmt.Stringer](to *T, what string, text []byte, values ...T) error {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = v.String()
	}
	i := slices.Index(names, string(text))
	if i < 0 {
		return fmt.Errorf("model: %s %q is not one of %s", what, text, strings.Join(names, ", "))
	}
	*to = values[i]
	return nil
}
