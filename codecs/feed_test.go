package codecs

import (
	"slices"
	"strings"
	"testing"

	"github.com/auditstream/auditstream/engine"
)

// feedExamples are messages as the venues' public documentation shows them,
// shortened where fields repeat, and the ticks that are in them.
var feedExamples = []struct{ feed, name, value, want string }{
	{"binance", "trade", `{"e":"trade","E":1672515782137,"s":"BNBBTC","t":12345,"p":"0.001","q":"100","T":1672515782136,"m":true,"M":true}`, "BNBBTC trade 1672515782136000000 ms #12345"},
	{"binance", "trade in µs", `{"e":"trade","E":1672515782136137,"s":"BNBBTC","t":12345,"p":"0.001","q":"100","T":1672515782136136,"m":true,"M":true}`, "BNBBTC trade 1672515782136136000 us #12345"},
	{"binance", "aggTrade", `{"e":"aggTrade","E":1672515782136,"s":"BNBBTC","a":12345,"p":"0.001","q":"100","f":100,"l":105,"T":1672515782136,"m":true,"M":true}`, "BNBBTC aggTrade 1672515782136000000 ms #12345"},
	{"binance", "spot bookTicker", `{"u":400900217,"s":"BNBUSDT","b":"25.35190000","B":"31.21000000","a":"25.36520000","A":"40.66000000"}`, "BNBUSDT bookTicker 1735831800000000007 record"},
	{"binance", "futures bookTicker", `{"e":"bookTicker","u":400900217,"E":1568014460893,"T":1568014460891,"s":"BNBUSDT","b":"25.35190000","B":"31.21000000","a":"25.36520000","A":"40.66000000"}`, "BNBUSDT bookTicker 1568014460891000000 ms"},
	{"binance", "spot depth", `{"e":"depthUpdate","E":1672515782136,"s":"BNBBTC","U":157,"u":160,"b":[["0.0024","10"]],"a":[["0.0026","100"]]}`, "BNBBTC depth 1672515782136000000 ms #157-160"},
	{"binance", "futures depth", `{"e":"depthUpdate","E":123456789012,"T":1672515782788,"s":"BTCUSDT","U":157,"u":160,"pu":149,"b":[["0.0024","10"]],"a":[]}`, "BTCUSDT depth 1672515782788000000 ms #150-160"},
	{"binance", "combined", `{"stream":"bnbbtc@trade","data":{"e":"trade","E":1672515782136,"s":"BNBBTC","t":12345,"p":"0.001","q":"100","T":1672515782136,"m":true,"M":true}}`, "BNBBTC trade 1672515782136000000 ms #12345"},
	{"binance", "combined bookTicker", `{"stream":"bnbusdt@bookTicker","data":{"u":400900217,"s":"BNBUSDT","b":"25.35190000","B":"31.21000000","a":"25.36520000","A":"40.66000000"}}`, "BNBUSDT bookTicker 1735831800000000007 record"},
	{"binance", "all symbols at once", `[{"e":"24hrMiniTicker","E":1672515782136,"s":"BNBBTC","c":"0.0025"},{"e":"24hrMiniTicker","E":1672515782136,"s":"ETHBTC","c":"0.01"}]`, "ignored\nignored"},
	{"binance", "an array of trades", `[{"e":"trade","E":1672515782137,"s":"BNBBTC","t":12345,"p":"0.001","q":"100","T":1672515782136,"m":true,"M":true}]`, "BNBBTC trade 1672515782136000000 ms #12345"},
	{"binance", "an empty array", `[]`, "ignored"},
	{"binance", "an array cut", `[{"e":"trade","E":1672515782137}`, "truncated"},
	{"binance", "answer", `{"result":null,"id":1}`, "ignored"},
	{"binance", "kline", `{"e":"kline","E":1672515782136,"s":"BNBBTC","k":{"t":1672515780000,"s":"BNBBTC"}}`, "ignored"},
	{"binance", "trade without its time", `{"e":"trade","s":"BNBBTC","t":12345}`, "time_missing"},
	{"binance", "trade cut", `{"e":"trade","E":1672515782136,"s":"BNB`, "truncated"},

	{"coinbase", "match", `{"type":"match","trade_id":10,"sequence":50,"maker_order_id":"ac928c66-ca53-498f-9c13-a110027a60e8","time":"2014-11-07T08:19:27.028459Z","product_id":"BTC-USD","size":"5.23512","price":"400.23","side":"sell"}`, "BTC-USD match 1415348367028459000 iso #10"},
	{"coinbase", "ticker", `{"type":"ticker","sequence":37475248783,"product_id":"ETH-USD","price":"1285.22","best_bid":"1285.04","best_ask":"1285.27","side":"buy","time":"2022-10-19T23:28:22.061769Z","trade_id":370843401,"last_size":"11.4396987"}`, "ETH-USD ticker 1666222102061769000 iso"},
	{"coinbase", "done", `{"type":"done","time":"2014-11-07T08:19:27.028459Z","product_id":"BTC-USD","sequence":10,"reason":"filled"}`, "BTC-USD orders 1415348367028459000 iso"},
	{"coinbase", "heartbeat", `{"type":"heartbeat","sequence":90,"last_trade_id":20,"product_id":"BTC-USD","time":"2014-11-07T08:19:28.464459Z"}`, "ignored"},
	{"coinbase", "subscriptions", `{"type":"subscriptions","channels":[{"name":"ticker","product_ids":["ETH-USD"]}]}`, "ignored"},
	{"coinbase", "market_trades", `{"channel":"market_trades","client_id":"","timestamp":"2023-02-09T20:19:35.39625135Z","sequence_num":0,"events":[{"type":"update","trades":[{"trade_id":"000000000","product_id":"ETH-USD","price":"1260.01","size":"0.3","side":"BUY","time":"2019-08-14T20:42:27.265Z"},{"trade_id":"1","product_id":"BTC-USD","time":"2019-08-14T20:42:27.266Z"}]}]}`,
		"ETH-USD market_trades 1565815347265000000 iso\nBTC-USD market_trades 1565815347266000000 iso"},
	{"coinbase", "market_trades before the subscription", `{"channel":"market_trades","timestamp":"2023-07-10T21:35:16Z","events":[{"trades":[{"trade_id":"14105410","product_id":"BTC-USDT","time":"2023-07-10T21:35:14.808783Z"},{"trade_id":"14105409","product_id":"BTC-USDT","time":"2023-07-10T21:35:14.783181Z"}],"type":"snapshot"}]}`, "ignored\nignored"},
	{"coinbase", "batched ticker", `{"type":"ticker_batch","sequence":3,"product_id":"BTC-USD","price":"1","time":"2023-02-09T20:30:37.167359Z"}`, "BTC-USD ticker_batch 1675974637167359000 iso"},
	{"coinbase", "advanced ticker", `{"channel":"ticker","timestamp":"2023-02-09T20:30:37.167359596Z","sequence_num":0,"events":[{"type":"snapshot","tickers":[{"type":"ticker","product_id":"BTC-USD","price":"21932.98"}]}]}`, "BTC-USD ticker 1675974637167359596 iso"},

	{"kraken", "trade", `{"channel":"trade","type":"update","data":[{"symbol":"MATIC/USD","side":"sell","price":0.5117,"qty":40.0,"ord_type":"market","trade_id":4665906,"timestamp":"2023-09-25T07:49:37.708706Z"},{"symbol":"MATIC/USD","side":"sell","price":0.5117,"qty":40.0,"ord_type":"market","trade_id":4665907,"timestamp":"2023-09-25T07:49:37.708707Z"}]}`,
		"MATIC/USD trade 1695628177708706000 iso #4665906\nMATIC/USD trade 1695628177708707000 iso #4665907"},
	{"kraken", "ticker", `{"channel":"ticker","type":"snapshot","data":[{"symbol":"ALGO/USD","bid":0.10025,"bid_qty":740.0,"ask":0.10036,"last":0.10035}]}`, "ALGO/USD ticker 1735831800000000007 record"},
	{"kraken", "book", `{"channel":"book","type":"update","data":[{"symbol":"MATIC/USD","bids":[{"price":0.5657,"qty":1098.3947558}],"asks":[],"checksum":2114181697,"timestamp":"2023-10-06T17:35:55.440295Z"}]}`, "MATIC/USD book 1696613755440295000 iso"},
	{"kraken", "heartbeat", `{"channel":"heartbeat"}`, "ignored"},
	{"kraken", "answer", `{"method":"subscribe","result":{"channel":"trade","snapshot":true,"symbol":"BTC/USD"},"success":true,"time_in":"2023-09-25T09:21:10.428340Z"}`, "ignored"},
	{"kraken", "status", `{"channel":"status","data":[{"api_version":"v2","system":"online","version":"2.0.4"}],"type":"update"}`, "ignored"},

	{"bybit", "trade", `{"topic":"publicTrade.BTCUSDT","type":"snapshot","ts":1672304486868,"data":[{"T":1672304486865,"s":"BTCUSDT","S":"Buy","v":"0.001","p":"16578.50","L":"PlusTick","i":"20f43950-d8dd-5b31-9112-a178eb6023af","BT":false,"seq":1783284617}]}`, "BTCUSDT trade 1672304486865000000 ms"},
	{"bybit", "orderbook", `{"topic":"orderbook.50.BTCUSDT","type":"snapshot","ts":1672304484978,"data":{"s":"BTCUSDT","b":[["16493.50","0.006"]],"a":[["16611.00","0.029"]],"u":18521288,"seq":7961638724},"cts":1672304484976}`, "BTCUSDT orderbook.50 1672304484976000000 ms"},
	{"bybit", "best prices", `{"topic":"orderbook.1.BTCUSDT","type":"snapshot","ts":1672304484978,"data":{"s":"BTCUSDT","b":[],"a":[],"u":18521288,"seq":7961638724},"cts":1672304484977}`, "BTCUSDT orderbook.1 1672304484977000000 ms"},
	{"bybit", "ticker", `{"topic":"tickers.BTCUSDT","type":"delta","data":{"symbol":"BTCUSDT","price24hPcnt":"0.017103","fundingRate":"-0.000212"},"cs":24987956059,"ts":1673272861686}`, "BTCUSDT tickers 1673272861686000000 ms"},
	{"bybit", "answer", `{"success":true,"ret_msg":"subscribe","conn_id":"2324d924-aa4d-45b0-a858-7b8be29ab52b","req_id":"10001","op":"subscribe"}`, "ignored"},

	{"okx", "trades", `{"arg":{"channel":"trades","instId":"BTC-USDT"},"data":[{"instId":"BTC-USDT","tradeId":"130639474","px":"42219.9","sz":"0.12060306","side":"buy","ts":"1630048897897","count":"3"}]}`, "BTC-USDT trades 1630048897897000000 ms"},
	{"okx", "trades-all", `{"arg":{"channel":"trades-all","instId":"BTC-USDT"},"data":[{"instId":"BTC-USDT","tradeId":"130639474","px":"42219.9","sz":"0.12060306","side":"buy","ts":"1630048897897"}]}`, "BTC-USDT trades-all 1630048897897000000 ms #130639474"},
	{"okx", "tickers", `{"arg":{"channel":"tickers","instId":"BTC-USDT"},"data":[{"instType":"SPOT","instId":"BTC-USDT","last":"9999.99","askPx":"9999.99","ts":"1597026383085"}]}`, "BTC-USDT tickers 1597026383085000000 ms"},
	{"okx", "bbo-tbt", `{"arg":{"channel":"bbo-tbt","instId":"BCH-USDT-SWAP"},"data":[{"asks":[["111.06","55154","0","2"]],"bids":[["111.05","57745","0","2"]],"ts":"1670324386802","seqId":363996337}]}`, "BCH-USDT-SWAP bbo-tbt 1670324386802000000 ms"},
	{"okx", "books5", `{"arg":{"channel":"books5","instId":"BCH-USDT-SWAP"},"data":[{"asks":[],"bids":[],"instId":"BCH-USDT-SWAP","ts":"1670324386702","seqId":363996330}]}`, "BCH-USDT-SWAP books5 1670324386702000000 ms"},
	{"okx", "answer", `{"event":"subscribe","arg":{"channel":"trades","instId":"BTC-USDT"},"connId":"a4d3ae55"}`, "ignored"},
	{"okx", "pong", `pong`, "ignored"},
	{"okx", "pong as JSON", `"pong"`, "ignored"},
	{"okx", "pong and more", `pong!`, "syntax"},

	{"massive", "trade and quote", `[{"ev":"T","sym":"MSFT","x":4,"i":"12345","z":3,"p":114.125,"s":100,"c":[0,12],"t":1536036818784,"q":3681328},{"ev":"Q","sym":"MSFT","bx":4,"ax":7,"bp":114.125,"ap":114.128,"bs":100,"as":160,"c":0,"t":1536036818784,"q":50385480}]`,
		"MSFT T 1536036818784000000 ms\nMSFT Q 1536036818784000000 ms"},
	{"massive", "aggregate", `[{"ev":"AM","sym":"GTE","v":4110,"av":9470157,"op":0.4372,"vw":0.4488,"o":0.4488,"c":0.4486,"h":0.4489,"l":0.4486,"a":0.4352,"z":685,"s":1610144640000,"e":1610144700000}]`, "GTE AM 1610144700000000000 ms"},
	{"massive", "second", `[{"ev":"A","sym":"SPCE","s":1610144868000,"e":1610144869000}]`, "SPCE A 1610144869000000000 ms"},
	{"polygon", "status", `[{"ev":"status","status":"connected","message":"Connected Successfully"}]`, "ignored"},
	{"polygon", "crypto", `[{"ev":"XT","pair":"BTC-USD","p":33021.9,"t":1610462007425,"s":0.01616617,"c":[2],"i":"14272084","x":3,"r":1610462007576}]`, "BTC-USD XT 1610462007425000000 ms"},

	{"alpaca", "trade and quote", `[{"T":"t","i":96921,"S":"AAPL","x":"D","p":126.55,"s":1,"t":"2021-02-22T15:51:44.208123456Z","c":["@","I"],"z":"C"},{"T":"q","S":"AMD","bx":"U","bp":87.66,"bs":1,"ax":"X","ap":87.67,"as":4,"t":"2021-02-22T15:51:45.335689322Z","c":["R"],"z":"C"}]`,
		"AAPL trades 1614009104208123456 iso\nAMD quotes 1614009105335689322 iso"},
	{"alpaca", "bar", `[{"T":"b","S":"SPY","o":388.985,"h":389.13,"l":388.975,"c":389.12,"v":49378,"t":"2021-02-22T19:15:00Z"}]`, "SPY bars 1614021300000000000 iso"},
	{"alpaca", "daily and updated bars", `[{"T":"d","S":"SPY","o":388.985,"t":"2021-02-22T05:00:00Z"},{"T":"u","S":"SPY","o":388.985,"t":"2021-02-22T19:14:00Z"}]`,
		"SPY dailyBars 1613970000000000000 iso\nSPY updatedBars 1614021240000000000 iso"},
	{"alpaca", "success", `[{"T":"success","msg":"authenticated"}]`, "ignored"},
	{"alpaca", "subscription", `[{"T":"subscription","trades":["AAPL"],"quotes":["AMD"],"bars":["*"]}]`, "ignored"},

	{"finnhub", "trade", `{"data":[{"p":7296.89,"s":"BINANCE:BTCUSDT","t":1575526691134,"v":0.011467},{"p":7296.9,"s":"AAPL","t":1575526691135,"v":1,"c":["1","24"]}],"type":"trade"}`,
		"BINANCE:BTCUSDT trade 1575526691134000000 ms\nAAPL trade 1575526691135000000 ms"},
	{"finnhub", "ping", `{"type":"ping"}`, "ignored"},

	{"databento", "trade", `{"ts_recv":"1609160400099150057","hd":{"ts_event":"1609160400098821953","rtype":0,"publisher_id":1,"instrument_id":5482},"action":"T","side":"A","depth":0,"price":"3720250000000","size":5,"flags":129,"ts_in_delta":19251,"sequence":1170380}`, "5482 trades 1609160400098821953 ns"},
	{"databento", "mbp-1 with a symbol", `{"ts_recv":"2020-12-28T13:00:00.006136513Z","hd":{"ts_event":"2020-12-28T13:00:00.006001487Z","rtype":1,"publisher_id":1,"instrument_id":5482},"action":"A","side":"A","depth":0,"price":"3720.500000000","size":1,"flags":128,"ts_in_delta":17214,"sequence":1170362,"levels":[{"bid_px":"3720.250000000"}],"symbol":"ESH1"}`, "ESH1 mbp-1 1609160400006001487 iso"},
	{"databento", "a time that is not set", `{"hd":{"ts_event":"18446744073709551615","rtype":160,"publisher_id":1,"instrument_id":5482},"sequence":1170352}`, "time_unset"},
	{"databento", "symbol mapping", `{"hd":{"ts_event":"1609160400098821953","rtype":22,"publisher_id":0,"instrument_id":5482},"stype_in_symbol":"ES.c.0"}`, "ignored"},
}

func TestFeedExamples(t *testing.T) {
	read := map[string]bool{}
	for _, x := range feedExamples {
		d, err := NewDecoder(x.feed, Fields{})
		if err != nil {
			t.Fatalf("%s: %v", x.feed, err)
		}
		if got := ticksOf(d, x.value); got != x.want {
			t.Errorf("%s, %s: got\n%s\nwant\n%s", x.feed, x.name, got, x.want)
		}
		for _, line := range strings.Split(x.want, "\n") {
			if words := strings.Fields(line); len(words) > 2 {
				read[x.feed+" "+words[1]] = true
			}
		}
	}
	for _, f := range feeds {
		if f.says == "" {
			t.Errorf("%s says nothing", f.name)
		}
		for _, m := range f.maps {
			twin := f.name == "polygon" && read["massive "+m.stream]
			if !read[f.name+" "+m.stream] && !twin && !slices.Contains(withoutExample, f.name+" "+m.stream) {
				t.Errorf("no example of %s %s", f.name, m.stream)
			}
		}
	}
}

// withoutExample are streams read like one that has an example.
var withoutExample = []string{
	"coinbase level2", "kraken ohlc", "bybit liquidation", "bybit orderbook.200", "bybit orderbook.500", "bybit orderbook.1000",
	"bybit orderbook.rpi", "okx books", "okx books50-l2-tbt", "okx books-l2-tbt", "okx books-elp", "massive C", "massive XT", "massive XQ",
	"polygon C", "polygon XQ", "alpaca orderbooks", "databento mbo", "databento mbp-10", "databento cmbp-1", "databento cbbo-1s",
	"databento cbbo-1m", "databento tcbbo", "databento bbo-1s", "databento bbo-1m", "databento ohlcv", "databento ohlcv-1s",
	"databento ohlcv-1m", "databento ohlcv-1h", "databento ohlcv-1d", "databento ohlcv-eod", "databento status", "databento imbalance",
}

// What the configuration names takes the place of what the feed says.
func TestFeedOverrides(t *testing.T) {
	trade := `{"stream":"bnbbtc@trade","data":{"e":"trade","E":1672515782136,"s":"BNBBTC","t":12345,"T":1672515782136}}`
	book := `{"stream":"bnbusdt@bookTicker","data":{"u":400900217,"s":"bnbusdt","b":"25.35190000","B":"31.21000000","a":"25.36520000","A":"40.66000000"}}`
	for _, tc := range []struct {
		fields      Fields
		value, want string
	}{
		{Fields{MergedStreams: true}, trade, "BNBBTC 1672515782136000000 ms"},
		{Fields{MergedStreams: true, Sequence: "data.t"}, trade, "BNBBTC 1672515782136000000 ms #12345"},
		{Fields{Venue: "stream"}, trade, "BNBBTC bnbbtc@trade 1672515782136000000 ms #12345"},
		{Fields{Sequence: "data.E"}, trade, "BNBBTC trade 1672515782136000000 ms #1672515782136"},
		{Fields{Kind: "data.e", Ticks: []string{"trade"}}, trade, "BNBBTC trade 1672515782136000000 ms #12345"},
		{Fields{Kind: "data.e", Ticks: []string{"trade"}}, book, "ignored"},
		{Fields{Normalize: NormalizeUpper}, book, "BNBUSDT bookTicker 1735831800000000007 record"},
	} {
		d, err := NewDecoder("binance", tc.fields)
		if err != nil {
			t.Fatal(err)
		}
		if got := ticksOf(d, tc.value); got != tc.want {
			t.Errorf("%+v: got %s, want %s", tc.fields, got, tc.want)
		}
	}
}

// FuzzFeeds reads any bytes as every feed's: the first tick says what the
// record is, all have a kind, and what no other reader can read has no items.
func FuzzFeeds(f *testing.F) {
	for _, x := range feedExamples {
		f.Add([]byte(x.value))
	}
	var all []*TickReader
	plain, err := NewJSON(Fields{Symbol: "s", Timestamp: "t"})
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range FeedNames() {
		d, err := NewDecoder(name, Fields{Content: true})
		if err != nil {
			f.Fatal(err)
		}
		all = append(all, NewTickReader(d, ""))
	}
	f.Fuzz(func(t *testing.T, value []byte) {
		var want engine.Tick
		plain.Decode(value, &want)
		for i, r := range all {
			rec := Record{Value: value, Time: engine.NoTime}
			items := int32(0)
			for tick := r.Read(&rec); tick != nil; tick = r.Next() {
				if tick.Item != items || (tick.Kind == engine.Good) == (tick.Reason != engine.ReasonNone) && tick.Kind != engine.Ignored && tick.Kind != engine.Tombstone {
					t.Fatalf("%s: item %d: %+v", FeedNames()[i], items, tick)
				}
				if text := strings.Trim(string(value), " \t\r\n\""); tick.Kind == engine.Ignored && want.Kind == engine.Unreadable && want.Reason != engine.ReasonNotObject && text != "ping" && text != "pong" {
					t.Fatalf("%s: %q is ignored, as plain JSON %v", FeedNames()[i], value, want.Reason)
				}
				if items++; tick.Kind == engine.Unreadable && items > 1 {
					t.Fatalf("%s: item %d of an unreadable value", FeedNames()[i], items)
				}
				if faulty := want.Kind == engine.Unreadable && want.Reason != engine.ReasonNotObject; faulty && tick.Kind != engine.Ignored && tick.Reason != want.Reason {
					t.Fatalf("%s: %v, as plain JSON %v", FeedNames()[i], tick.Reason, want.Reason)
				}
			}
		}
	})
}
