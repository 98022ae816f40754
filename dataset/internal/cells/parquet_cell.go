package cells

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// cellReader returns how values of a flat column become cells. Dates and times
// are their counts of units, decimals real numbers.
func cellReader(leaf *parquet.Column) (func(parquet.Value) Cell, error) {
	if leaf.MaxRepetitionLevel() > 0 {
		return nil, errors.New("it is a list or map, and only flat columns are read: spread it over columns, or name the others with features")
	}
	kind, logical := leaf.Type().Kind(), leaf.Type().LogicalType()
	var annotation format.LogicalTypeValue
	if logical != nil {
		annotation = logical.Value
	}
	if d, ok := annotation.(*format.DecimalType); ok {
		return decimalReader(kind, d)
	}
	switch kind {
	case parquet.Boolean:
		return func(v parquet.Value) Cell {
			if v.Boolean() {
				return Cell{kind: cellInt, int: 1}
			}
			return Cell{kind: cellInt}
		}, nil
	case parquet.Int32, parquet.Int64:
		return intReader(kind, annotation), nil
	case parquet.Float:
		return func(v parquet.Value) Cell { return Cell{kind: cellReal, num: float64(v.Float())} }, nil
	case parquet.Double:
		return func(v parquet.Value) Cell { return Cell{kind: cellReal, num: v.Double()} }, nil
	case parquet.ByteArray:
		return func(v parquet.Value) Cell { return Cell{kind: cellText, text: string(v.ByteArray())} }, nil
	}
	if _, ok := annotation.(*format.UUIDType); ok {
		return func(v parquet.Value) Cell { return Cell{kind: cellText, text: uuidText(v.ByteArray())} }, nil
	}
	return nil, fmt.Errorf("its type %v is not read: convert it, or name the other columns with features", leaf.Type())
}

// intReader reads integers; unsigned ones beyond 2⁶³−1 become text, so that
// identifiers stay exact.
func intReader(kind parquet.Kind, annotation format.LogicalTypeValue) func(parquet.Value) Cell {
	i, isInt := annotation.(*format.IntType)
	unsigned := isInt && !i.IsSigned
	switch {
	case kind == parquet.Int32 && unsigned:
		return func(v parquet.Value) Cell { return Cell{kind: cellInt, int: int64(v.Uint32())} }
	case kind == parquet.Int32:
		return func(v parquet.Value) Cell { return Cell{kind: cellInt, int: int64(v.Int32())} }
	case unsigned:
		return func(v parquet.Value) Cell {
			if u := v.Uint64(); u > math.MaxInt64 {
				return Cell{kind: cellText, text: strconv.FormatUint(u, 10)}
			}
			return Cell{kind: cellInt, int: v.Int64()}
		}
	}
	return func(v parquet.Value) Cell { return Cell{kind: cellInt, int: v.Int64()} }
}

func decimalReader(kind parquet.Kind, d *format.DecimalType) (func(parquet.Value) Cell, error) {
	unit := math.Pow10(-int(d.Scale))
	switch kind {
	case parquet.Int32:
		return func(v parquet.Value) Cell { return Cell{kind: cellReal, num: float64(v.Int32()) * unit} }, nil
	case parquet.Int64:
		return func(v parquet.Value) Cell { return Cell{kind: cellReal, num: float64(v.Int64()) * unit} }, nil
	}
	return nil, errors.New("decimals of more than 18 digits are not read: convert the column to DOUBLE")
}

func uuidText(b []byte) string {
	if len(b) != 16 {
		return fmt.Sprintf("%x", b)
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
