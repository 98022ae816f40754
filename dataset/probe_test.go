package dataset

import "testing"

func TestStem(t *testing.T) {
	for base, want := range map[string]string{
		"4elt.graph": "4elt", "a.mtx.gz": "a", "IMDB-BINARY.zip": "IMDB-BINARY", "ogbg_molesol": "molesol",
		"ogbn-arxiv": "arxiv", "email-Eu-core.txt": "email-Eu-core", "plain": "plain", ".hidden": ".hidden", "ogbn-": "ogbn-",
	} {
		if got := Stem(base); got != want {
			t.Errorf("%q: %q, want %q", base, got, want)
		}
	}
}

func TestFolderStem(t *testing.T) {
	for base, want := range map[string]string{"arxiv@0.1": "arxiv@0.1", "ogbg_molesol": "molesol", "people.csv": "people.csv"} {
		if got := FolderStem(base); got != want {
			t.Errorf("%q: %q, want %q", base, got, want)
		}
	}
}
