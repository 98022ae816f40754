package dataset

// layouts returns the layouts that others publish their sets in, in the order in
// which help texts list them. It is the one list to add a layout to.
func layouts() []*Format {
	return []*Format{
		&planetoidFormat,
		&npzFormat,
		&tuFormat,
		&ginFormat,
		&ogbFormat,
		&mtxFormat,
		&metisFormat,
		&snapFormat,
	}
}

// builtin returns how to make a set that weft contains, or nil.
func builtin(name string) func(Options) (*Dataset, error) {
	if name == "karate" {
		return readKarate
	}
	return nil
}
