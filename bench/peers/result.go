//go:build linux

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"slices"

	"github.com/weft-gnn/weft/bench/origin"
	"github.com/weft-gnn/weft/tensor"
)

// report is what peers.json holds.
type report struct {
	Machine origin.Machine `json:"machine"`
	// Versions are those of every environment's packages.
	Versions map[string]map[string]string `json:"versions"`
	Rows     []row                        `json:"rows"`
}

// row is one comparison.
type row struct {
	key
	Commit string `json:"commit"` // of weft
	Date   string `json:"date"`
	// Others is the share of the processors' time that other programs took just
	// before the row was measured.
	Others  float64            `json:"other_load"`
	Systems map[string]measure `json:"systems"`
	Verdict verdict            `json:"verdict"`
}

// measure is what one system did in a row.
type measure struct {
	MedianMS float64 `json:"median_ms"`
	MinMS    float64 `json:"min_ms"`
	MaxMS    float64 `json:"max_ms"`
	Epochs   int     `json:"epochs"` // epochs measured, of all turns
	// PeakRSSBytes is the most memory resident in the process, BaseRSSBytes what
	// was resident when only the system's packages were loaded.
	PeakRSSBytes int64 `json:"peak_rss_bytes"`
	BaseRSSBytes int64 `json:"base_rss_bytes,omitempty"`
	// Loss is the loss after 5 steps; null where it did not come so far.
	Loss  *float64 `json:"loss_after_5"`
	Note  string   `json:"note,omitempty"`
	Error string   `json:"error,omitempty"` // why there is no measurement

	samples []float64 // in ms
}

// lossAfter is the number of steps after which losses are compared, lossWithin
// how much they may differ, relative to weft's.
const (
	lossAfter  = 5
	lossWithin = 1e-3
)

// quiet is the load by others up to which a row may be believed.
const quiet = 0.1

// summed fills what follows from the samples.
func (m measure) summed() measure {
	if len(m.samples) == 0 {
		return m
	}
	s := slices.Sorted(slices.Values(m.samples))
	m.MinMS, m.MaxMS, m.Epochs = s[0], s[len(s)-1], len(s)
	m.MedianMS = (s[len(s)/2] + s[(len(s)-1)/2]) / 2
	return m
}

// add joins another turn of the same system.
func (m measure) add(o measure) measure {
	if o.Error != "" {
		m.Note = join(m.Note, "a later turn: "+o.Error)
		return m
	}
	m.samples = append(slices.Clone(m.samples), o.samples...)
	m.PeakRSSBytes, m.BaseRSSBytes = max(m.PeakRSSBytes, o.PeakRSSBytes), max(m.BaseRSSBytes, o.BaseRSSBytes)
	m.Note = join(m.Note, o.Note)
	return m.summed()
}

func join(a, b string) string {
	if a == "" || b == "" || a == b {
		return cmp.Or(a, b)
	}
	return a + "; " + b
}

// verdict is what the measurements of a row say; 0 where a side is missing.
type verdict struct {
	Fastest       string  `json:"fastest_peer"`
	Ratio         float64 `json:"ratio"`          // fastest peer's time / weft's
	RatioUnfolded float64 `json:"ratio_unfolded"` // the same without the fold pass
	Smallest      string  `json:"smallest_peer"`
	MemoryShare   float64 `json:"memory_share"` // weft's peak / smallest peer's
	// LossDifference is the largest relative one of any system to weft.
	LossDifference float64  `json:"loss_difference"`
	Void           []string `json:"void,omitempty"` // systems whose loss differs
}

// judge compares the systems of a row.
func (r row) judge() verdict {
	var v verdict
	weft := r.Systems["weft"]
	for _, s := range systems {
		m, ok := r.Systems[s.name]
		if !ok || m.Error != "" {
			continue
		}
		if weft.Loss != nil && m.Loss != nil {
			d := math.Abs(*m.Loss-*weft.Loss) / math.Abs(*weft.Loss)
			v.LossDifference = max(v.LossDifference, d)
			if !(d <= lossWithin) {
				v.Void = append(v.Void, s.name)
			}
		}
		if !s.peer() {
			continue
		}
		if v.Fastest == "" || m.MedianMS < r.Systems[v.Fastest].MedianMS {
			v.Fastest = s.name
		}
		if v.Smallest == "" || m.PeakRSSBytes < r.Systems[v.Smallest].PeakRSSBytes {
			v.Smallest = s.name
		}
	}
	if v.Fastest == "" {
		return v
	}
	v.Ratio = over(r.Systems[v.Fastest].MedianMS, weft.MedianMS)
	v.RatioUnfolded = over(r.Systems[v.Fastest].MedianMS, r.Systems["weft-nofold"].MedianMS)
	v.MemoryShare = over(float64(weft.PeakRSSBytes), float64(r.Systems[v.Smallest].PeakRSSBytes))
	return v
}

// over is a/b, 0 where b is missing.
func over(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// find returns the row of a key.
func (p *report) find(k key) (row, bool) {
	i := slices.IndexFunc(p.Rows, func(r row) bool { return r.key == k })
	if i < 0 {
		return row{}, false
	}
	return p.Rows[i], true
}

// put replaces the row of the same key, or adds one, judged.
func (p *report) put(r row) {
	r.Verdict = r.judge()
	if i := slices.IndexFunc(p.Rows, func(o row) bool { return o.key == r.key }); i >= 0 {
		p.Rows[i] = r
	} else {
		p.Rows = append(p.Rows, r)
	}
	slices.SortFunc(p.Rows, func(a, b row) int {
		return cmp.Or(
			cmp.Compare(a.Threads, b.Threads), cmp.Compare(a.kind(), b.kind()), cmp.Compare(a.Data, b.Data),
			cmp.Compare(slices.Index(models, a.Model), slices.Index(models, b.Model)), cmp.Compare(a.Hidden, b.Hidden))
	})
}

// kept returns what of an earlier row stands for a row of this commit: all of a
// row of the same commit, and the peers' part of another where that is wanted.
func (p *report) kept(k key, commit string, peersOfOthers bool) map[string]measure {
	out := map[string]measure{}
	r, _ := p.find(k)
	for _, s := range systems {
		m, ok := r.Systems[s.name]
		switch {
		case ok && r.Commit == commit:
			out[s.name] = m
		case ok && peersOfOthers && s.peer():
			m.Note = join(m.Note, "measured beside "+r.Commit)
			out[s.name] = m
		}
	}
	return out
}

// readReport reads an earlier result. One of another machine says nothing here:
// it is refused.
func readReport(path string, here origin.Machine) (*report, error) {
	p := &report{Machine: here, Versions: map[string]map[string]string{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if p.Machine != here {
		return nil, fmt.Errorf("%s is of another machine (%v): give another -out, or remove it", path, p.Machine)
	}
	return p, nil
}

func (p *report) write(json, md string) error {
	text, err := p.encode()
	if err != nil {
		return err
	}
	return errors.Join(writeFile(json, text), writeFile(md, []byte(p.markdown())))
}

func (p *report) encode() ([]byte, error) {
	text, err := json.MarshalIndent(p, "", " ")
	return append(text, '\n'), err
}

func writeFile(path string, text []byte) error {
	return tensor.WriteAtomic(path, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
