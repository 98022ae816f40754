package program

import "fmt"

// MarshalText writes the rule's name, such as "adam".
func (k OptimizerKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads it.
func (k *OptimizerKind) UnmarshalText(text []byte) error {
	for _, v := range []OptimizerKind{AdamKind, AdamWKind, SGDKind} {
		if v.String() == string(text) {
			*k = v
			return nil
		}
	}
	return fmt.Errorf("program: optimizer %q is not one of adam, adamw, sgd", text)
}
