package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// total is how many bytes all hosts sent in a step and its evaluation.
func (r row) total() (bytes int64) {
	for _, n := range r.sent {
		bytes += n
	}
	return bytes
}

// ratio is the measured bytes, of those predicted.
func (r row) ratio(mtu int) float64 { return float64(r.total()) / float64(r.whole.bytes(mtu)) }

// page is the result as text; data and origin say of what, and from where.
func page(o options, rows []row, data, origin string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Over several hosts\n\nBy `go run ./bench/hosts -data %s -models %s -plans %q -hidden %d -epochs %d -rate %s -mtu %d`,\non %s.\nThe data: %s.\n",
		filepath.Base(o.data), strings.Join(o.models, ","), strings.Join(o.plans, " "), o.hidden, o.epochs, o.link.Rate, o.link.MTU, origin, data)
	b.WriteString("\nA rank is a process on a host of its own, a network namespace behind such a link; all hosts share this machine's cores. One host is one process\nwithout MPI, on all cores.\n")
	b.WriteString("\n## Losses\n\n| model | plan | loss of the last step | on one host | largest relative difference |\n| --- | --- | ---: | ---: | ---: |\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | `%s` | %v | %v | %.1e |\n", r.model, r.plan, r.loss[0], r.loss[1], r.far)
	}
	fmt.Fprintf(&b, "\n## Bytes\n\nOf all hosts, in a step with its evaluation: words and messages are predicted, and were counted alike. *Measured* is what the interfaces have sent,\n"+
		"by the difference of a run of %d steps and one of %d. *Framing* is %d bytes of each packet of %d (Ethernet 14, IPv4 20, TCP 20, its timestamps 12), of\n"+
		"which a message has a last one that is not full, and %d for each message, which Open MPI puts before it. Packets that only acknowledge\nare not predicted: *acknowledgements* is the most that they take, one for two full packets.\n\n",
		o.epochs, few, header, o.link.MTU, envelope)
	b.WriteString("| model | plan | words of the step | with evaluation | messages | words × 4, MB | framing, MB | measured, MB | of predicted | acknowledgements |\n| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, r := range rows {
		f, all := r.whole.frame(o.link.MTU), r.whole.bytes(o.link.MTU)
		fmt.Fprintf(&b, "| %s | `%s` | %d | %d | %d | %.3f | %.3f | %.3f | %.4f | ≤ %.1f %% |\n", r.model, r.plan, r.step.words, r.whole.words, r.whole.messages,
			4e-6*float64(r.whole.words), 1e-6*float64(f.headers+f.mpi), 1e-6*float64(r.total()), r.ratio(o.link.MTU), 100*float64(f.acks)/float64(all))
	}
	b.WriteString("\n## Time\n\nThe median training step, without evaluation, on cores that the hosts share with each other and with whatever else runs there; and the bytes that the\nbusiest host sends in a step with its evaluation.\n\n| model | plan | step on one host, ms | on hosts, ms | busiest host, MB |\n| --- | --- | ---: | ---: | ---: |\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | `%s` | %.1f | %.1f | %.3f |\n", r.model, r.plan, r.one, r.ms, 1e-6*float64(slices.Max(r.sent)))
	}
	return b.String()
}
