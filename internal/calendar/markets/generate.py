"""Writes the built-in markets from exchange_calendars (Apache-2.0).

    pip install exchange_calendars==4.13.2 && python generate.py

Each file has the latest regular hours, the days without a session and the days
with other hours, from 2020 to the end of what the package knows.
"""

import collections
import pathlib

import exchange_calendars
import pandas

NAMES = "XNYS XNAS XTSE BVMF XLON XETR XPAR XAMS XMIL XSWX XTKS XHKG XSHG XKRX XASX XBOM XSES XJSE CMES".split()
DAYS = "mon tue wed thu fri sat sun".split()


def minute(time, day, zone):
    local = time.tz_convert(zone)
    minutes = local.hour * 60 + local.minute + 24 * 60 * (local.date() - day).days
    return minutes


def text(minutes):
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def hours(row, zone, shift):
    """Sessions of a row as text, from the local day on which they begin."""
    day = (row.name + pandas.Timedelta(days=shift)).date()
    begin, end = minute(row.open, day, zone), minute(row.close, day, zone)
    parts = [(begin, end)]
    if not pandas.isna(row.break_start):
        parts = [(begin, minute(row.break_start, day, zone)), (minute(row.break_end, day, zone), end)]
    return day, ", ".join(f"{text(a)}-{text(b % (24 * 60) if b > 24 * 60 else b)}" for a, b in parts)


def write(name):
    calendar = exchange_calendars.get_calendar(name, start="2020-01-01")
    zone = str(calendar.tz)
    schedule = calendar.schedule
    first = schedule.iloc[-1]
    shift = (first.open.tz_convert(zone).date() - first.name.date()).days
    days = dict(hours(row, zone, shift) for _, row in schedule.iterrows())
    latest = collections.defaultdict(collections.Counter)
    for day, text_of_day in list(days.items())[-250:]:
        latest[day.weekday()][text_of_day] += 1
    regular = {d: c.most_common(1)[0][0] for d, c in latest.items() if sum(c.values()) > 20}
    holidays, special = [], {}
    for t in pandas.date_range(min(days), max(days)):
        day = t.date()
        if day not in days:
            if day.weekday() in regular:
                holidays.append(day)
        elif days[day] != regular.get(day.weekday()):
            special[day] = days[day]
    lines = ["# Written by generate.py. Do not edit.", "markets:", f"  - name: {name}", '    symbols: ["*"]',
             f"    zone: {zone}", f"    through: {max(days)}", "    hours:"]
    lines += [f"      {DAYS[d]}: {regular[d]}" for d in sorted(regular)]
    lines += ["    holidays:"] + [f"      - {day}" for day in holidays]
    if special:
        lines += ["    special:"] + [f"      {day}: {hours}" for day, hours in special.items()]
    text_of_file = "\n".join(lines) + "\n"
    pathlib.Path(__file__).with_name(name + ".yaml").write_text(text_of_file)
    print(name, len(holidays), len(special))


for market in NAMES:
    write(market)
