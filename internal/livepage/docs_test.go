package livepage

import (
	"reflect"
	"strings"
	"testing"
)

// Every object that an answer can hold is described, and every field of it.
func TestEveryFieldOfTheAPIIsDescribed(t *testing.T) {
	described := map[reflect.Type]bool{}
	for _, s := range shapes {
		described[reflect.TypeOf(s.of)] = true
	}
	var held func(t reflect.Type, visit func(reflect.Type))
	held = func(of reflect.Type, visit func(reflect.Type)) {
		switch of.Kind() {
		case reflect.Pointer, reflect.Slice:
			held(of.Elem(), visit)
		case reflect.Struct:
			visit(of)
		}
	}
	for _, s := range shapes {
		of := reflect.TypeOf(s.of)
		for i := range of.NumField() {
			f := of.Field(i)
			if f.IsExported() && !f.Anonymous {
				if f.Tag.Get("json") == "" {
					t.Errorf("%s.%s has no name in JSON", of, f.Name)
				}
				if _, ok := f.Tag.Lookup("doc"); !ok {
					t.Errorf("%s.%s is not described: give it a tag doc, empty where the name says it all", of, f.Name)
				}
			}
			held(f.Type, func(inner reflect.Type) {
				if !described[inner] && !f.Anonymous {
					t.Errorf("%s.%s holds %s, which docs/rest.md does not describe", of, f.Name, inner)
				}
			})
		}
	}
	text := APISection()
	for _, e := range endpoints {
		if !strings.Contains(text, "| `"+e.path+"` |") {
			t.Errorf("%s is missing", e.path)
		}
	}
	for _, e := range events {
		if !strings.Contains(text, "**"+e.name+"**") {
			t.Errorf("the event %s is not described", e.name)
		}
	}
}
