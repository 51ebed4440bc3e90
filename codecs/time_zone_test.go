package codecs

import (
	"strings"
	"testing"
	"time"

	"github.com/auditstream/auditstream/engine"
)

func zoneNamed(t testing.TB, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

func nanosOf(t testing.TB, text string) int64 {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixNano()
}

// Local times, and times of day, by the record's time.
func TestTimesOfZones(t *testing.T) {
	for _, tc := range []struct {
		zone, record, text, want string // record "": has no time; want is a time or a reason
		dated                    bool
		unit                     engine.Unit
	}{
		// New York's clock goes from 02:00 to 03:00 on 2025-03-09 and from 02:00 to 01:00 on 2025-11-02.
		{zone: "America/New_York", text: "2025-03-09T01:59:59.5", want: "2025-03-09T06:59:59.5Z"},
		{zone: "America/New_York", text: "2025-03-09T02:00:00", want: "time_skipped_by_zone"},
		{zone: "America/New_York", text: "2025-03-09T02:59:59", want: "time_skipped_by_zone"},
		{zone: "America/New_York", text: "2025-03-09T03:00:00", want: "2025-03-09T07:00:00Z"},
		{zone: "America/New_York", text: "2025-11-02T00:59:59", want: "2025-11-02T04:59:59Z"},
		{zone: "America/New_York", text: "2025-11-02T01:30:00", want: "2025-11-02T05:30:00Z"},
		{zone: "America/New_York", text: "2025-11-02T01:30:00", record: "2025-11-02T05:30:01Z", want: "2025-11-02T05:30:00Z"},
		{zone: "America/New_York", text: "2025-11-02T01:30:00", record: "2025-11-02T06:29:59Z", want: "2025-11-02T06:30:00Z"},
		{zone: "America/New_York", text: "2025-11-02T02:00:00", want: "2025-11-02T07:00:00Z"},
		{zone: "America/New_York", text: "2025-11-02T01:30:00-04:00", record: "2025-11-02T06:29:59Z", want: "2025-11-02T05:30:00Z"},
		{zone: "Australia/Lord_Howe", text: "2025-04-06T01:45:00", record: "2025-04-05T15:14:00Z", want: "2025-04-05T15:15:00Z"}, // half an hour
		{zone: "Australia/Lord_Howe", text: "2025-04-06T01:45:00", record: "2025-04-05T14:44:00Z", want: "2025-04-05T14:45:00Z"},
		{zone: "Asia/Kolkata", text: "2025-01-02T21:00:00", want: "2025-01-02T15:30:00Z"},

		{dated: true, record: "2025-01-02T15:30:00Z", text: "15:29:59.123456789", want: "2025-01-02T15:29:59.123456789Z"},
		{dated: true, record: "2025-01-03T00:00:00.1Z", text: "23:59:59.9", want: "2025-01-02T23:59:59.9Z"},
		{dated: true, record: "2025-01-02T23:59:59.9Z", text: "00:00:00.1", want: "2025-01-03T00:00:00.1Z"},
		{dated: true, record: "2025-01-02T15:30:00Z", text: "09:30:00-05:00", want: "2025-01-02T14:30:00Z"},
		{dated: true, record: "2025-01-02T15:30:00Z", text: "15:30:00Z", zone: "America/New_York", want: "2025-01-02T15:30:00Z"},
		{dated: true, record: "2025-01-02T15:30:00Z", text: "10:30:00", zone: "America/New_York", want: "2025-01-02T15:30:00Z"},
		{dated: true, record: "2025-11-02T06:30:00Z", text: "01:30:00", zone: "America/New_York", want: "2025-11-02T06:30:00Z"},
		{dated: true, record: "2025-03-09T07:00:00Z", text: "02:30:00", zone: "America/New_York", want: "time_skipped_by_zone"},
		{dated: true, text: "15:29:59", want: "time_without_date"},
		{dated: true, record: "2025-01-02T15:30:00Z", text: "15:29:60", want: "time_syntax"},
		{dated: true, record: "2025-01-02T15:30:00Z", text: "24:00:00", want: "time_syntax"},
		{dated: true, record: "2025-01-02T15:30:00Z", text: "15:29", want: "time_syntax"},
		{dated: true, record: "2025-01-02T15:30:00Z", text: "2025-01-02T15:30:00Z", want: "time_syntax"},
		{dated: true, record: "2025-01-02T15:30:00Z", unit: engine.UnitNanos, text: "55799123456789", want: "2025-01-02T15:29:59.123456789Z"},
		{dated: true, record: "2025-01-02T00:00:00Z", unit: engine.UnitNanos, text: "0", want: "2025-01-02T00:00:00Z"},
		{dated: true, record: "2025-01-02T00:00:00Z", unit: engine.UnitMillis, text: "86399999", want: "2025-01-01T23:59:59.999Z"},
		{dated: true, record: "2025-01-02T00:00:00Z", unit: engine.UnitMillis, text: "86400000", want: "time_out_of_range"},
		{dated: true, record: "2025-01-02T00:00:00Z", unit: engine.UnitMillis, text: "-1", want: "time_negative"},
		{dated: true, record: "2025-01-02T00:00:00Z", unit: engine.UnitSeconds, text: "34200.000001", zone: "America/New_York", want: "2025-01-01T14:30:00.000001Z"},
		{dated: true, record: "2025-01-02T00:00:00Z", text: "34200", want: "time_out_of_range"},
		{dated: true, unit: engine.UnitNanos, text: "55799123456789", want: "time_without_date"},
	} {
		f := Fields{Unit: tc.unit, DateOfRecord: tc.dated}
		if tc.zone != "" {
			f.Zone = zoneNamed(t, tc.zone)
		}
		v := valuesOf(f)
		if tc.record != "" {
			v.recordTime = nanosOf(t, tc.record)
		}
		ns, _, reason := v.time([]byte(tc.text))
		got := reason.String()
		if reason == engine.ReasonNone {
			got = time.Unix(0, ns).UTC().Format(time.RFC3339Nano)
		}
		if got != tc.want {
			t.Errorf("%+v: got %s", tc, got)
		}
	}
}

// G-50: what stands for no time is told apart, and no tick of 1970 comes of it.
func TestTimesThatAreNone(t *testing.T) {
	d := newJSON(t, Fields{})
	for value, want := range map[string]engine.Reason{
		`0`: engine.ReasonTimeZero, `null`: engine.ReasonTimeNull, `-1`: engine.ReasonTimeNegative,
		`9223372036854775807`: engine.ReasonTimeUnset, `-9223372036854775808`: engine.ReasonTimeNegative,
		`"9999-12-31T23:59:59.999Z"`: engine.ReasonTimeUnset, `"0001-01-01T00:00:00Z"`: engine.ReasonTimeUnset,
		`"1970-01-01T00:00:00Z"`: engine.ReasonTimeZero, `""`: engine.ReasonTimeSyntax,
	} {
		if got := decode(d, []byte(`{"symbol":"QXA","ts":`+value+`}`)); got.reason != want || got.time != 0 || got.kind != engine.Unusable {
			t.Errorf("%s: %+v, want %v", value, got, want)
		}
	}
	if got := decode(d, []byte(`{"symbol":"QXA"}`)); got.reason != engine.ReasonTimeMissing {
		t.Errorf("no time: %+v", got)
	}
}

var fuzzZones = []string{"America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Africa/Casablanca", "Pacific/Apia", "Europe/Dublin"}

// FuzzTime holds text times against package time: where both read one they
// agree, a local time that is read is what the zone's clock shows then, and
// one that is skipped is shown at no instant near to it.
func FuzzTime(f *testing.F) {
	for _, seed := range []string{
		"2025-03-09T02:30:00", "2025-11-02T01:30:00.5", "2016-12-31T23:59:60Z", "2011-12-30T12:00:00", "2025-01-02 15:30:00,123+0530",
		"1735831800.000000001", "1.7358318e9", "9999-12-31T23:59:59Z", "-1", "15:30:00.5", "23:59:59-05",
	} {
		f.Add(seed, int64(1735831800_000000000), uint8(0))
	}
	f.Fuzz(func(t *testing.T, text string, record int64, zone uint8) {
		location := zoneNamed(t, fuzzZones[int(zone)%len(fuzzZones)])
		v := valuesOf(Fields{Zone: location})
		v.recordTime = record
		ns, unit, reason := v.time([]byte(text))
		if (reason != engine.ReasonNone) != (ns == 0) || ns < 0 {
			t.Fatalf("%q: %d, %v", text, ns, reason)
		}
		if at, err := time.Parse(time.RFC3339Nano, text); err == nil && reason == engine.ReasonNone && at.UnixNano() != ns && !strings.Contains(text, ":60") {
			t.Fatalf("%q: %d, package time has %d", text, ns, at.UnixNano())
		}
		local, err := time.ParseInLocation("2006-01-02T15:04:05.999999999", text, time.UTC)
		switch {
		case err != nil:
		case unit == engine.UnitISO && time.Unix(0, ns).In(location).Format("2006-01-02T15:04:05") != local.Format("2006-01-02T15:04:05"):
			t.Fatalf("%q in %v: read as %v", text, location, time.Unix(0, ns).In(location))
		case reason == engine.ReasonTimeSkipped:
			for minutes := -48 * 60; minutes <= 48*60; minutes += 15 {
				shown := local.Add(time.Duration(minutes) * time.Minute).In(location)
				if shown.Format("2006-01-02T15:04:05") == local.Format("2006-01-02T15:04:05") {
					t.Fatalf("%q in %v is shown at %v", text, location, shown.UTC())
				}
			}
		}
		dated := valuesOf(Fields{Zone: location, DateOfRecord: true})
		dated.recordTime = max(record, 3*daySeconds*1e9)
		if record > 1<<62 {
			dated.recordTime = 1 << 62
		}
		if ns, _, reason := dated.time([]byte(text)); reason == engine.ReasonNone && absolute(ns-dated.recordTime) > 13*3600*1e9 {
			t.Fatalf("%q on the date of %d: %d", text, dated.recordTime, ns)
		}
	})
}
