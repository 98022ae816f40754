package source

import (
	"path/filepath"
	"testing"

	"github.com/weft-gnn/weft/dataset"
	"github.com/weft-gnn/weft/dataset/internal/datatest"
	"github.com/weft-gnn/weft/dataset/internal/realdata"
)

// Data of kinds that weft does not read is refused by name, with what it reads.
func TestUnreadSets(t *testing.T) {
	for _, c := range []struct{ set, file, want string }{
		{"kg", "FB15k-237.tar.gz", "tar archive"},
		{"kg", "nations-pykeen", "knowledge graph"},
		{"kg", "umls-pykeen/test.txt", "knowledge graph"},
		{"rdf", "aifb", "RDF"},
		{"rdf", "aifb/aifb_stripped.nt.gz", "RDF"},
		{"traffic", "dcrnn", "traffic"},
		{"traffic", "dcrnn/adj_mx.pkl", "pickle"},
		{"temporal", "chickenpox.json", "JSON"},
	} {
		_, err := Open(t.Context(), realdata.File(t, c.set, c.file), dataset.Options{})
		datatest.WantError(t, err, filepath.Base(c.file), c.want, "planetoid", "snap")
	}
}

func TestUnreadFiles(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"a.txt":   {"france\tborders\tspain\nspain\tborders\tfrance\n", "knowledge graph"},
		"a.nt":    {"<http://a> <http://b> <http://c> .\n", "RDF"},
		"a.jsonl": {"{\"u\": 1}\n", "JSON"},
		"a.pt":    {"PK", "PyTorch"},
		"a.bin":   {"\x00\x01\x02", "no layout that weft knows"},
		"b.txt":   {"", "no layout that weft knows"},
		"c.txt":   {"some words\n", "no layout that weft knows"},
	} {
		_, err := Open(t.Context(), filepath.Join(datatest.Files(t, map[string]string{name: c.text}), name), dataset.Options{})
		datatest.WantError(t, err, name, c.want, "planetoid", "snap")
	}
}
