package codecs

// massiveMaps are the messages of Massive, named Polygon.io until 2025
// (massive-com/client-go websocket/models): arrays of events, ev says of which
// kind. t is the SIP's time in milliseconds, x the exchange. q ascends for a
// ticker without being consecutive. Of crypto and forex the pair is the symbol.
var massiveMaps = []feedMap{
	{stream: "T", when: []condition{is("[].ev", "T")}, symbol: "[].sym", time: "[].t", also: "[].pt|[].trft|[].q"},
	{stream: "Q", when: []condition{is("[].ev", "Q")}, symbol: "[].sym", time: "[].t", also: "[].pt|[].q"},
	{stream: "A", when: []condition{is("[].ev", "A")}, symbol: "[].sym", time: "[].e", also: "[].s"},
	{stream: "AM", when: []condition{is("[].ev", "AM")}, symbol: "[].sym", time: "[].e", also: "[].s"},
	{stream: "XT", when: []condition{is("[].ev", "XT")}, symbol: "[].pair", time: "[].t", also: "[].r"},
	{stream: "XQ", when: []condition{is("[].ev", "XQ")}, symbol: "[].pair", time: "[].t", also: "[].r"},
	{stream: "C", when: []condition{is("[].ev", "C")}, symbol: "[].p", time: "[].t"},
}

var massive = feed{
	name: "massive",
	says: "Massive (Polygon.io): trades T, quotes Q, aggregates A and AM, crypto XT and XQ, currencies C",
	wrap: []string{""},
	maps: massiveMaps,
}

var polygon = feed{name: "polygon", says: "the older name of massive", wrap: []string{""}, maps: massiveMaps}

// Alpaca: the real-time data of its Market Data API (docs.alpaca.markets):
// arrays of messages, T says of which kind, t is RFC 3339 to the nanosecond.
// A daily bar has the time of its day, an updated one that of a past minute.
var alpaca = feed{
	name: "alpaca",
	says: "Alpaca market data: trades t, quotes q, bars b, d and u, order books o",
	wrap: []string{""},
	maps: []feedMap{
		{stream: "trades", when: []condition{is("[].T", "t")}, symbol: "[].S", time: "[].t", also: "[].i"},
		{stream: "quotes", when: []condition{is("[].T", "q")}, symbol: "[].S", time: "[].t"},
		{stream: "bars", when: []condition{is("[].T", "b")}, symbol: "[].S", time: "[].t"},
		{stream: "dailyBars", when: []condition{is("[].T", "d")}, symbol: "[].S", time: "[].t"},
		{stream: "updatedBars", when: []condition{is("[].T", "u")}, symbol: "[].S", time: "[].t"},
		{stream: "orderbooks", when: []condition{is("[].T", "o")}, symbol: "[].S", time: "[].t"},
	},
}

// Finnhub: trades of its WebSocket (finnhub.io/docs/api/websocket-trades): many
// in a message, t in milliseconds. ping is its heartbeat.
var finnhub = feed{
	name: "finnhub",
	says: "Finnhub: trade",
	wrap: []string{""},
	maps: []feedMap{
		{stream: "trade", when: []condition{is("type", "trade")}, symbol: "data[].s", time: "data[].t"},
	},
}

// Databento: records as its JSON encoding spells them (databento/dbn): 64-bit
// numbers are strings, nanoseconds or ISO 8601, and the header is nested.
// Without a symbol its instrument_id stands for it. Of market data the venue's
// own time orders; sequence is the channel's, not the instrument's. A time that
// is not set is the greatest number of 64 bits.
var databento = feed{
	name: "databento",
	says: "Databento JSON: trades, MBO, MBP, TBBO, BBO, OHLCV, status and imbalance records",
	wrap: []string{""},
	maps: []feedMap{
		{stream: "mbo", when: []condition{is("hd.rtype", "160")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event", also: databentoTimes},
		{stream: "trades", when: []condition{is("hd.rtype", "0")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event", also: databentoTimes},
		{stream: "mbp-1", when: []condition{is("hd.rtype", "1")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event", also: databentoTimes},
		{stream: "mbp-10", when: []condition{is("hd.rtype", "10")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event", also: databentoTimes},
		{stream: "cmbp-1", when: []condition{is("hd.rtype", "177")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event|ts_recv", also: databentoTimes},
		{stream: "cbbo-1s", when: []condition{is("hd.rtype", "192")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event|ts_recv", also: databentoTimes},
		{stream: "cbbo-1m", when: []condition{is("hd.rtype", "193")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event|ts_recv", also: databentoTimes},
		{stream: "tcbbo", when: []condition{is("hd.rtype", "194")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event|ts_recv", also: databentoTimes},
		{stream: "bbo-1s", when: []condition{is("hd.rtype", "195")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event|ts_recv", also: databentoTimes},
		{stream: "bbo-1m", when: []condition{is("hd.rtype", "196")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event|ts_recv", also: databentoTimes},
		{stream: "ohlcv", when: []condition{is("hd.rtype", "17")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event"},
		{stream: "ohlcv-1s", when: []condition{is("hd.rtype", "32")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event"},
		{stream: "ohlcv-1m", when: []condition{is("hd.rtype", "33")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event"},
		{stream: "ohlcv-1h", when: []condition{is("hd.rtype", "34")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event"},
		{stream: "ohlcv-1d", when: []condition{is("hd.rtype", "35")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event"},
		{stream: "ohlcv-eod", when: []condition{is("hd.rtype", "36")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event"},
		{stream: "status", when: []condition{is("hd.rtype", "18")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event", also: databentoTimes},
		{stream: "imbalance", when: []condition{is("hd.rtype", "20")}, symbol: "symbol|hd.instrument_id", time: "hd.ts_event", also: databentoTimes},
	},
}

const databentoTimes = "ts_recv|ts_in_delta|sequence"
