package main

import (
	"context"
	"log/slog"

	"github.com/weft-gnn/weft/dataset"
)

// notes returns a logger that writes what a user should hear once as lines.
func (a *app) notes() *slog.Logger { return slog.New(noteHandler{a}) }

// noteAll says what a user should hear of data once.
func (a *app) noteAll(d *dataset.Dataset) {
	for _, n := range d.Notes {
		a.say("note: %s", visible(n))
	}
}

// noteHandler prints messages without time and level.
type noteHandler struct{ a *app }

func (h noteHandler) Enabled(context.Context, slog.Level) bool { return !h.a.quiet }

func (h noteHandler) Handle(_ context.Context, r slog.Record) error {
	h.a.say("note: %s", visible(r.Message))
	return nil
}

func (h noteHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h noteHandler) WithGroup(string) slog.Handler      { return h }
