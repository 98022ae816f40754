//go:build linux

package main

import (
	"slices"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	o, err := parse(strings.Fields("-cache c -data cora,products,reddit@0.01 -models gat -hidden 16,64 -threads 1,2 -systems pyg-edge,weft -memory 2"))
	if err != nil {
		t.Fatal(err)
	}
	if len(o.rows) != 12 || o.rows[0] != (key{"cora", "gat", 16, 1}) || o.rows[1].Data != "products@0.1" || o.rows[11] != (key{"reddit@0.01", "gat", 64, 2}) {
		t.Errorf("rows: %v", o.rows)
	}
	if len(o.systems) != 2 || o.systems[0].name != "weft" || o.limits.memory != 2<<30 {
		t.Errorf("systems %v, memory %d", o.systems, o.limits.memory)
	}
	for _, bad := range []string{"-data karate", "-data cora@2", "-data arxiv@0", "-models mlp", "-hidden 0", "-threads x", "-systems tensorflow", "weft"} {
		if _, err := parse(append([]string{"-cache", "c"}, strings.Fields(bad)...)); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

func TestSystemsRun(t *testing.T) {
	var of []string
	for _, s := range systems {
		if s.runs(key{Model: "gat"}) {
			of = append(of, s.name)
		}
	}
	if slices.Contains(of, "pyg-csr") || !slices.Contains(of, "pyg-sparse") {
		t.Errorf("gat runs on %v", of)
	}
}

func TestEpochs(t *testing.T) {
	lines := strings.Repeat(`{"epoch":0,"loss":1.5,"val_loss":null,"step_ms":9}`+"\n", 3) +
		strings.Repeat(`{"epoch":3,"loss":0.5,"step_ms":2.5}`+"\n", 4)
	m, err := epochs([]byte(lines))
	if err != nil || m.MedianMS != 2.5 || m.Epochs != 4 || m.Loss == nil || *m.Loss != 0.5 {
		t.Errorf("%+v, %v", m, err)
	}
	for _, bad := range []string{"", "{", strings.Repeat(`{"loss":1,"step_ms":2}`+"\n", 5)} {
		if _, err := epochs([]byte(bad)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}
