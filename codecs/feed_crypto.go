package codecs

// Binance: web-socket-streams.md of binance/binance-spot-api-docs, and the
// market streams of its futures. Times are milliseconds, or microseconds with
// timeUnit=MICROSECOND. Messages of combined streams are wrapped as
// {"stream":...,"data":{...}}, those of all symbols at once stand in an array.
var binance = feed{
	name: "binance",
	says: "Binance spot and futures: trade, aggTrade, bookTicker and depth, bare, in arrays or of combined streams, in ms or µs",
	wrap: []string{"data", "", "[]"},
	maps: []feedMap{
		{stream: "trade", when: []condition{is("e", "trade")}, symbol: "s", time: "T", also: "E", last: "t"},
		{stream: "aggTrade", when: []condition{is("e", "aggTrade")}, symbol: "s", time: "T", also: "E", last: "a"},
		{stream: "depth", when: []condition{is("e", "depthUpdate")}, symbol: "s", time: "T|E", also: "E", last: "u", first: "U", previous: "pu"},
		// Futures give bookTicker its times; that of spot has none, nor a kind.
		{stream: "bookTicker", when: []condition{is("e", "bookTicker")}, symbol: "s", time: "T|E", also: "E|u", record: true},
		{stream: "bookTicker", when: []condition{lacks("e"), has("u"), has("b"), has("a")}, symbol: "s", time: "T|E", also: "E|u", record: true},
	},
}

// Coinbase: the channels of Exchange (docs.cdp.coinbase.com/exchange), whose
// sequence is shared by all channels of a product, and those of Advanced Trade,
// whose messages carry events of several products. trade_id counts the matches
// of a product. A snapshot of market_trades repeats, the newest first, what came
// before a subscription.
var coinbase = feed{
	name: "coinbase",
	says: "Coinbase Exchange: match, last_match, ticker, and received to done of the full channel; Advanced Trade: market_trades and ticker",
	wrap: []string{""},
	maps: []feedMap{
		{stream: "match", when: []condition{is("type", "match", "last_match")}, symbol: "product_id", time: "time", last: "trade_id", also: "sequence"},
		{stream: "ticker", when: []condition{is("type", "ticker")}, symbol: "product_id", time: "time", also: "sequence"},
		{stream: "ticker_batch", when: []condition{is("type", "ticker_batch")}, symbol: "product_id", time: "time", also: "sequence"},
		{stream: "orders", when: []condition{is("type", "received", "open", "done", "change", "activate")}, symbol: "product_id", time: "time|timestamp", also: "sequence"},
		{stream: "level2", when: []condition{is("type", "l2update")}, symbol: "product_id", time: "time"},
		{stream: "market_trades", when: []condition{is("channel", "market_trades"), is("events[].type", "update")}, symbol: "events[].trades[].product_id", time: "events[].trades[].time"},
		{stream: "ticker", when: []condition{is("channel", "ticker")}, symbol: "events[].tickers[].product_id", time: "timestamp"},
		{stream: "ticker_batch", when: []condition{is("channel", "ticker_batch")}, symbol: "events[].tickers[].product_id", time: "timestamp"},
	},
}

// Kraken: version 2 of its WebSocket API (docs.kraken.com/api). trade_id counts
// the trades of a book. Its snapshots repeat what came before a subscription.
var kraken = feed{
	name: "kraken",
	says: "Kraken WebSocket v2: trade, ticker, book and ohlc",
	wrap: []string{""},
	maps: []feedMap{
		{stream: "trade", when: []condition{is("channel", "trade")}, symbol: "data[].symbol", time: "data[].timestamp", last: "data[].trade_id"},
		{stream: "ticker", when: []condition{is("channel", "ticker")}, symbol: "data[].symbol", time: "data[].timestamp", record: true},
		// A snapshot of the book has no time; its updates do.
		{stream: "book", when: []condition{is("channel", "book")}, symbol: "data[].symbol", time: "data[].timestamp", record: true},
		{stream: "ohlc", when: []condition{is("channel", "ohlc")}, symbol: "data[].symbol", time: "timestamp"},
	},
}

// Bybit: the public topics of its v5 WebSocket API (bybit-exchange/docs). T is
// when a trade was matched, cts when the book was, ts when it was sent. Each
// depth of the book is sent at a pace of its own.
var bybit = feed{
	name: "bybit",
	says: "Bybit v5: publicTrade, orderbook, tickers and liquidations",
	wrap: []string{""},
	maps: []feedMap{
		{stream: "trade", when: []condition{begins("topic", "publicTrade.")}, symbol: "data[].s", time: "data[].T", also: "ts"},
		bybitBook("1"),
		bybitBook("50"),
		bybitBook("200"),
		bybitBook("500"),
		bybitBook("1000"),
		bybitBook("rpi"),
		{stream: "tickers", when: []condition{begins("topic", "tickers.")}, symbol: "data.symbol", time: "ts", also: "cs"},
		{stream: "liquidation", when: []condition{begins("topic", "allLiquidation.")}, symbol: "data[].s", time: "data[].T", also: "ts"},
	},
}

// bybitBook is the order book of a depth, each of which is a stream.
func bybitBook(depth string) feedMap {
	return feedMap{
		stream: "orderbook." + depth, when: []condition{begins("topic", "orderbook."+depth+".")},
		symbol: "data.s", time: "cts|ts", also: "ts|data.u|data.seq",
	}
}

// OKX: the public channels of its v5 WebSocket API (www.okx.com/docs-v5). Times
// are milliseconds in strings. A trade of the channel trades joins several, so
// its tradeId is not consecutive; in trades-all it is. Each
// channel of the book is sent at a pace of its own.
var okx = feed{
	name: "okx",
	says: "OKX v5: trades, trades-all, tickers, bbo-tbt and books",
	wrap: []string{""},
	talk: []string{"ping", "pong"},
	maps: []feedMap{
		{stream: "trades", when: []condition{is("arg.channel", "trades")}, symbol: "data[].instId", time: "data[].ts"},
		{stream: "trades-all", when: []condition{is("arg.channel", "trades-all")}, symbol: "data[].instId", time: "data[].ts", last: "data[].tradeId"},
		{stream: "tickers", when: []condition{is("arg.channel", "tickers")}, symbol: "data[].instId", time: "data[].ts"},
		okxBook("bbo-tbt"),
		okxBook("books"),
		okxBook("books5"),
		okxBook("books50-l2-tbt"),
		okxBook("books-l2-tbt"),
		okxBook("books-elp"),
	},
}

// okxBook is a channel of the order book.
func okxBook(channel string) feedMap {
	return feedMap{
		stream: channel, when: []condition{is("arg.channel", channel)},
		symbol: "arg.instId", time: "data[].ts", also: "data[].seqId|data[].prevSeqId|data[].checksum",
	}
}
