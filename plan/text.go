package plan

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"github.com/weft-gnn/weft/dataset/yamldoc"
	"github.com/weft-gnn/weft/internal/nearest"
	"github.com/weft-gnn/weft/partition"
	"github.com/weft-gnn/weft/program"
)

// keys are what a plan is written with.
var keys = map[string]func(p *Plan, value string) error{
	"algorithm": func(p *Plan, value string) (err error) {
		p.Algorithm, err = ParseAlgorithm(value)
		return err
	},
	"partition": func(p *Plan, value string) error {
		p.Partition = nil
		for word := range strings.SplitSeq(value, "x") {
			r, err := strconv.Atoi(word)
			if err != nil {
				return fmt.Errorf("plan: partition %q: want a number P of ranks, or a grid RxS or RxSxC", value)
			}
			p.Partition = append(p.Partition, r)
		}
		return nil
	},
	"feature":     func(p *Plan, value string) error { return count(&p.Feature, "feature", value) },
	"replica":     func(p *Plan, value string) error { return count(&p.Replica, "replica", value) },
	"replication": func(p *Plan, value string) error { return count(&p.Replication, "replication", value) },
	"overlap": func(p *Plan, value string) error {
		if value != "true" && value != "false" {
			return fmt.Errorf("plan: overlap %q: want true or false", value)
		}
		p.Blocking = value == "false"
		return nil
	},
	"exchange": func(p *Plan, value string) error {
		i, err := choose("exchange", value, exchangeNames[:])
		p.Exchange = program.Side(i)
		return err
	},
	"halo": func(p *Plan, value string) error {
		i, err := choose("halo", value, haloNames[:])
		p.Recompute = i == 1
		return err
	},
	"backward": func(p *Plan, value string) error {
		i, err := choose("backward", value, backwardNames[:])
		p.Backward = program.Return(i)
		return err
	},
	"resplit": func(p *Plan, value string) (err error) {
		p.Resplit, err = ParseResplit(value)
		return err
	},
	"partitioner": func(p *Plan, value string) (err error) {
		p.Partitioner, err = partition.Parse(value)
		p.Partitioned = true
		return err
	},
}

func count(to *int, key, value string) (err error) {
	if *to, err = strconv.Atoi(value); err != nil || *to < 1 {
		return fmt.Errorf("plan: %s %q: want a number of ranks, 1 or more", key, value)
	}
	return nil
}

// Parse reads "key=value,key=value".
//
// Errors: unknown keys, with the nearest; a key twice; what [Plan.Validate] finds.
func Parse(text string) (Plan, error) { return ParseOn(text, 1) }

// ParseOn is Parse for so many ranks, where the text names none: they lie along the axis
// of its algorithm, of 2d in the grid that is nearest to a square.
func ParseOn(text string, ranks int) (Plan, error) {
	set := map[string]string{}
	for pair := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(pair), "=")
		if !ok {
			return Plan{}, fmt.Errorf("plan: %q: want key=value with the keys %s", pair, strings.Join(names(), ", "))
		}
		if _, twice := set[key]; twice {
			return Plan{}, fmt.Errorf("plan: %s is given twice", key)
		}
		set[key] = value
	}
	return from(set, ranks)
}

// ParseYAML reads a plan from the content of the file at path, a document with the same
// keys, as ParseOn does. It reads no file.
//
// Errors: as Parse, and what is no such document, with file, line and column.
func ParseYAML(path string, text []byte, ranks int) (Plan, error) {
	set := map[string]any{}
	if err := yamldoc.Unmarshal(path, text, &set); err != nil {
		return Plan{}, fmt.Errorf("plan: %w", err)
	}
	words := map[string]string{}
	for key, value := range set {
		if value == nil {
			return Plan{}, fmt.Errorf("plan: %s: %s has no value", path, key)
		}
		words[key] = fmt.Sprint(value)
	}
	p, err := from(words, ranks)
	if err != nil {
		return p, fmt.Errorf("plan: %s: %w", path, err)
	}
	return p, nil
}

func names() []string { return slices.Sorted(maps.Keys(keys)) }

func from(set map[string]string, ranks int) (Plan, error) {
	p := Plan{Partition: []int{1}}
	for _, key := range slices.Sorted(maps.Keys(set)) {
		put, ok := keys[key]
		if !ok {
			return p, fmt.Errorf("plan: no key %q: there are %s%s", key, strings.Join(names(), ", "), nearest.DidYouMean(key, names()))
		}
		if err := put(&p, set[key]); err != nil {
			return p, err
		}
	}
	if ranks > 1 && set["partition"]+set["feature"]+set["replica"] == "" {
		p.lieAlong(ranks)
	}
	if p.Algorithm == ThreeD && len(p.Partition) == 3 && p.Replication == p.Partition[2] {
		p.Replication = 0 // said twice
	}
	return p, p.Validate()
}

// lieAlong puts ranks along the axis of the plan's algorithm.
func (p *Plan) lieAlong(ranks int) {
	switch {
	case p.axis() == "feature":
		p.Feature = ranks
	case p.axis() == "replica":
		p.Replica = ranks
	case p.Algorithm == TwoD:
		r := divisor(ranks, math.Sqrt(float64(ranks)))
		p.Partition = []int{r, ranks / r}
	case p.Algorithm == ThreeD:
		c := divisor(ranks, math.Cbrt(float64(ranks)))
		if c == 1 { // it is about more
			for c = 2; ranks%c != 0; c++ {
			}
		}
		r := divisor(ranks/c, math.Sqrt(float64(ranks/c)))
		p.Partition = []int{r, ranks / c / r, c}
	default:
		p.Partition = []int{ranks}
	}
}

// divisor returns the largest divisor of a number that is at most so much.
func divisor(n int, most float64) int {
	d := int(most)
	for n%d != 0 {
		d--
	}
	return d
}

// MarshalYAML writes what ParseYAML reads.
func (p Plan) MarshalYAML() ([]byte, error) {
	var doc yaml.MapSlice
	for _, w := range p.words() {
		doc = append(doc, yaml.MapItem{Key: w.key, Value: w.value})
	}
	return yaml.Marshal(doc)
}
