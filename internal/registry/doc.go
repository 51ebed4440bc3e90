// Package registry asks a schema registry for the schemas of records, and
// gives them as plans that read ticks.
//
// An answer is one of three. The schema, which is kept. "There is none", by
// the registry's own error code: asked again after a pause that grows. No
// answer, or one that no registry gives: then the caller waits, because a
// record whose schema will be told later must not be judged by its absence.
// A registry that stays away ends the run after a time, one that refuses the
// credentials at once.
//
// A registry that was made anew may give old ids to other schemas. What is
// kept is compared in the background, at an interval and when the registry
// comes back; an id that has changed its meaning is used no more.
package registry
