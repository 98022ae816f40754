// Package plan says how a program runs on several ranks.
//
// Who owns which vertices and edges ([Owners]) decides what each rank has of the
// graph and what it exchanges with the others ([Piece]). The program of a rank is
// made by package program's pass distribute, from the split rules of its
// operations; this package gives it its rows.
package plan
