"use strict";
// The page of a running audit. It holds nothing but what the last events said.
const $ = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en").format;
let state = null, parts = null, samples = null, codes = {}, seen = null;

// el makes an element. Text goes in as text, never as markup: symbols and
// causes are whatever producers have written.
function el(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(attributes || {})) {
    if (k === "class") e.className = v; else if (k.startsWith("on")) e.addEventListener(k.slice(2), v); else e.setAttribute(k, v);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}
const clock = (ms) => ms > 0 ? new Date(ms).toISOString().replace("T", " ").slice(0, 19) + "Z" : "–";
const duration = (ms) => ms < 1000 ? `${Math.round(ms)} ms` : ms < 120000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 60000)} min`;
const short = (n) => Math.abs(n) >= 1e9 ? (n / 1e9).toFixed(1) + " G" : Math.abs(n) >= 1e6 ? (n / 1e6).toFixed(1) + " M" : Math.abs(n) >= 1e4 ? (n / 1e3).toFixed(1) + " k" : number(Math.round(n * 10) / 10);
const title = (s) => s === "" ? "(empty)" : s;
const where = (f) => [f.topic + (f.partition === null ? "" : `/${f.partition}`), f.symbol && `symbol ${f.symbol}`, f.group && `group ${f.group}`].filter(Boolean).join(", ");

// --- findings
function story(f) {
  const info = codes[f.code] || {};
  const li = el("li", { class: f.state === "RESOLVED" ? "over" : f.severity, "data-id": f.id, "data-code": f.code },
    el("div", {}, el("span", { class: "tag " + f.severity }, f.severity), el("b", {}, f.code), el("span", { class: "soft" }, where(f))),
    el("p", {}, f.cause), el("p", { class: "next" }, f.action),
    el("details", {}, el("summary", { class: "soft" }, `${number(f.count)} × since ${clock(f.first_ms)}, last ${clock(f.last_ms)}`),
      el("p", {}, info.meaning || ""), el("p", { class: "soft" }, info.judged ? "Judged: " + info.judged : ""),
      el("pre", { tabindex: "0" }, JSON.stringify({ finding_id: f.id, first_offset: f.first_offset, evidence: f.evidence || {} }, null, 1))));
  li.stamp = JSON.stringify(f);
  return li;
}

// follow brings a list to what it should show and leaves alone what has not
// changed, so that an opened detail stays open and keeps the focus.
function follow(list, wanted, fresh) {
  const old = new Map([...list.children].map((c) => [c.dataset.id, c]));
  let at = list.firstElementChild;
  for (const f of wanted) {
    let li = old.get(f.id);
    if (!li || li.stamp !== JSON.stringify(f)) {
      const next = story(f);
      if (li) {
        next.querySelector("details").open = li.querySelector("details").open;
        if (at === li) at = next;
        li.replaceWith(next);
      } else if (fresh) next.classList.add("new");
      li = next;
    }
    old.delete(f.id);
    if (li === at) at = at.nextElementSibling; else list.insertBefore(li, at);
  }
  for (const gone of old.values()) gone.remove();
}

// wish says what somebody has asked the audit for, and how to undo it.
function wish(s) {
  if (s.state_since_ms === null) return "";
  const [what, so] = { PAUSED: ["Paused", "partitions are kept, no tick of them is judged"], STOPPED: ["Stopped", "nothing is judged here"] }[s.state] || ["Pause or stop asked for", "it is under way"];
  return `${what} since ${clock(s.state_since_ms)}, asked ${s.state_by || "by nobody known"}: ${so}. PUT /connectors/${encodeURIComponent(s.name)}/resume goes on where it was`;
}

function showState() {
  const s = state;
  $("name").textContent = s.name;
  const open = s.findings.filter((f) => f.state !== "RESOLVED"), over = s.findings.filter((f) => f.state === "RESOLVED");
  const worst = open.length ? open[0].severity : "";
  const pill = $("pill");
  pill.textContent = s.state !== "RUNNING" ? s.state : !s.ready ? "NOT READY" : worst === "CRITICAL" || worst === "WARNING" ? `${number(s.open)} OPEN` : "HEALTHY";
  pill.className = "pill " + (s.state !== "RUNNING" || !s.ready ? "warning" : worst === "CRITICAL" ? "critical" : worst === "WARNING" ? "warning" : "good");
  document.title = `${pill.textContent} · ${s.name}`;
  $("reasons").textContent = [wish(s), ...(s.reasons || [])].filter(Boolean).join("; ");
  $("facts").replaceChildren(...[["Ticks judged", short(s.ticks)], ["Ticks a second", s.rate === null ? "–" : short(s.rate)], ["Symbols", short(s.symbols)],
    ["Partitions here", number(s.partitions)], ["Out of order", short(s.disorder)], ["Behind, records", s.lag === null ? "–" : short(s.lag)]].map(([k, v]) => el("div", {}, el("dt", {}, k), el("dd", {}, v))));
  $("open").textContent = s.open ? `${number(s.open)} open` + (s.open > open.length ? `, ${open.length} shown` : "") : "";
  if (open.length) {
    $("open-list").querySelector(".calm")?.remove();
    follow($("open-list"), open, seen !== null);
  } else $("open-list").replaceChildren(el("li", { class: "over calm" }, s.ready && s.state === "RUNNING" ? "Nothing is open." : "Nothing is open so far."));
  $("over-count").textContent = over.length ? `${over.length} of the last` : "none yet";
  follow($("over-list"), over, false);
  seen = true;
  $("version").textContent = `auditstream ${s.version}, instance ${s.instance || "–"}`;
  showVerdict();
}

function showVerdict() {
  const stamp = JSON.stringify([state.topics, state.findings.filter((f) => f.code.startsWith("PARTITIONER") || f.code === "SYMBOL_SPLIT").map((f) => [f.id, f.state])]);
  if ($("verdict").stamp === stamp) return;
  $("verdict").stamp = stamp;
  if (!state.topics.length) {
    $("verdict").replaceChildren(el("p", { class: "soft" }, "No report of a whole topic yet. Of several instances one writes them: look there."));
    return;
  }
  $("verdict").replaceChildren(...state.topics.map((t) => {
    const against = state.findings.filter((f) => f.state !== "RESOLVED" && f.topic === t.topic && (f.code.startsWith("PARTITIONER") || f.code === "SYMBOL_SPLIT"));
    return el("div", {}, el("h3", {}, t.topic), el("p", {}, "Keys follow ", el("b", {}, t.partitioner || "nothing known"), ` over ${number(t.partitions)} partitions. ${number(t.symbols)} symbols.`),
      t.notes ? el("p", { class: "soft" }, t.notes) : null,
      ...against.map((f) => el("p", { class: "wrong" }, `${f.code}${f.symbol ? " " + f.symbol : ""}: ${f.cause}`)),
      t.proof.length ? el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ...["Busy symbol", "lies on", "that hash says"].map((h) => el("th", { scope: "col" }, h)))),
        el("tbody", {}, ...t.proof.map((p) => el("tr", {}, el("td", {}, title(p.symbol)), el("td", {}, String(p.on)),
          el("td", { class: p.expected === null ? "" : p.expected === p.on ? "right" : "wrong" }, p.expected === null ? "–" : `${p.expected} ${p.expected === p.on ? "✓" : "✗"}`)))))) : null);
  }));
}

// --- partitions: one canvas a topic, so that thousands cost no elements
const chosen = {};
function canvas2d(c) {
  const ratio = window.devicePixelRatio || 1, w = c.clientWidth, h = c.clientHeight;
  if (c.width !== Math.round(w * ratio) || c.height !== Math.round(h * ratio)) { c.width = Math.round(w * ratio); c.height = Math.round(h * ratio); }
  const g = c.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.clearRect(0, 0, w, h);
  return [g, w, h];
}
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const rowsOf = (topic) => parts.rows.filter((r) => r[0] === topic);

function showPartitions() {
  $("partition-count").textContent = `${number(parts.rows.length)} here`;
  parts.topics.forEach((topic, at) => {
    let box = $("bars").children[at];
    if (!box || box.dataset.topic !== topic) {
      const c = el("canvas", { tabindex: "0", role: "slider", "aria-label": `Partitions of ${topic}`, "aria-valuemin": "0" });
      const pick = (x) => { const rows = rowsOf(at); choose(topic, at, Math.min(rows.length - 1, Math.max(0, Math.floor(x / c.clientWidth * rows.length)))); };
      c.addEventListener("pointermove", (e) => pick(e.offsetX));
      c.addEventListener("pointerdown", (e) => pick(e.offsetX));
      c.addEventListener("keydown", (e) => {
        const rows = rowsOf(at), now = chosen[topic] ?? -1;
        const to = { ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: rows.length - 1, PageDown: now + 20, PageUp: now - 20 }[e.key];
        if (to === undefined) return;
        e.preventDefault();
        choose(topic, at, Math.min(rows.length - 1, Math.max(0, to)));
      });
      const next = el("div", { "data-topic": topic }, el("h3", {}, topic), c);
      if (box) box.replaceWith(next); else $("bars").append(next);
    }
    drawBars(topic, at);
  });
  while ($("bars").children.length > parts.topics.length) $("bars").lastElementChild.remove();
  $("hot").replaceChildren(...parts.hot.map((h) => el("li", {}, el("button", { type: "button", onclick: () => look(h.symbol) },
    el("span", {}, title(h.symbol)), el("span", { class: "n" }, `${(h.share * 100).toFixed(1)} % · ${h.topic}/${h.partition}`)))));
}

function drawBars(topic, at) {
  const c = $("bars").children[at].querySelector("canvas"), [g, w, h] = canvas2d(c), rows = rowsOf(at);
  if (!rows.length) return;
  const most = Math.max(1, ...rows.map((r) => r[2])), mean = rows.reduce((sum, r) => sum + r[2], 0) / rows.length;
  const columns = Math.min(rows.length, Math.floor(w)), width = w / columns;
  const styles = { bar: colour("--bar"), hot: colour("--hot"), bad: colour("--critical"), ink: colour("--ink"), soft: colour("--soft") };
  for (let i = 0; i < columns; i++) {
    // Where there are more partitions than pixels a column shows the most of its own.
    const from = Math.floor(i * rows.length / columns), to = Math.max(from + 1, Math.floor((i + 1) * rows.length / columns));
    let top = 0, bad = false, picked = false;
    for (let k = from; k < to; k++) { top = Math.max(top, rows[k][2]); bad ||= rows[k][6] === 1; picked ||= chosen[topic] === k; }
    const height = top / most * (h - 4);
    g.fillStyle = bad ? styles.bad : picked ? styles.ink : mean > 0 && top > 2 * mean ? styles.hot : styles.bar;
    g.fillRect(i * width, h - Math.max(1, height), Math.max(1, width - (width > 4 ? 1.5 : width > 2 ? .5 : 0)), Math.max(1, height));
  }
  g.strokeStyle = styles.soft; g.setLineDash([4, 4]); g.beginPath(); g.moveTo(0, h - mean / most * (h - 4)); g.lineTo(w, h - mean / most * (h - 4)); g.stroke(); g.setLineDash([]);
}

function choose(topic, at, index) {
  chosen[topic] = index;
  const rows = rowsOf(at), r = rows[index];
  if (!r) return;
  const text = `${topic}/${r[1]}: ${number(r[2])} ticks, ${number(r[4])} symbols, ${number(r[3])} out of order, ${r[5] < 0 ? "not known how many" : number(r[5])} records behind${r[6] ? ", stands still" : ""}`;
  $("selected").textContent = text;
  const c = $("bars").children[at].querySelector("canvas");
  c.setAttribute("aria-valuemax", rows.length - 1); c.setAttribute("aria-valuenow", index); c.setAttribute("aria-valuetext", text);
  drawBars(topic, at);
}

// --- over time
const charts = [["Out of order in 5 s", "disorder", (n) => short(n), "--critical"], ["Mean age of a tick", "age", duration, "--hot"], ["Ticks a second", "rate", short, "--bar"]];
function showSamples() {
  if (!samples.t) return;
  charts.forEach(([label, field, format, tint], at) => {
    let figure = $("charts").children[at];
    if (!figure) {
      figure = el("figure", {}, el("figcaption", {}, el("span", {}, label), el("span", { class: "soft" })), el("canvas", { role: "img" }), el("div", { class: "axis" }, el("span", {}), el("span", {})));
      $("charts").append(figure);
    }
    const values = samples[field], known = values.filter((v) => v !== null), c = figure.querySelector("canvas");
    const most = Math.max(0, ...known), [g, w, h] = canvas2d(c), top = most || 1;
    const now = known.length ? format(known[known.length - 1]) : "not measured", said = known.length ? `now ${now}, most ${format(most)}` : "not measured yet";
    figure.querySelector("figcaption .soft").textContent = said;
    c.setAttribute("aria-label", `${label}: ${said}`);
    const spans = figure.querySelectorAll(".axis span");
    spans[0].textContent = clock(samples.t[0]).slice(11); spans[1].textContent = clock(samples.t[samples.t.length - 1]).slice(11);
    g.strokeStyle = g.fillStyle = colour(tint); g.lineWidth = 1.5; g.beginPath();
    let pen = false;
    values.forEach((v, i) => {
      if (v === null) { pen = false; return; }
      const x = values.length > 1 ? i / (values.length - 1) * w : w / 2, y = h - 2 - v / top * (h - 6);
      if (!pen && (values[i + 1] ?? null) === null) g.fillRect(x - 2, y - 2, 4, 4); // a point alone makes no line
      if (pen) g.lineTo(x, y); else g.moveTo(x, y);
      pen = true;
    });
    g.stroke();
  });
}

// --- symbols
let asked = 0, timer = 0;
function look(symbol) { $("q").value = symbol; $("q").focus(); search(); }
async function search() {
  const q = $("q").value.trim(), turn = ++asked;
  if (!q) { $("found").replaceChildren(); return; }
  let r;
  try {
    const response = await fetch("api/v1/symbols?q=" + encodeURIComponent(q));
    r = await response.json();
    if (!response.ok) throw new Error(r.message);
  } catch (e) { r = { error: e.message }; }
  if (turn !== asked) return; // a newer question is under way
  if (r.error) { $("found").replaceChildren(el("p", { class: "wrong" }, r.error)); return; }
  const rows = r.symbols.map((s) => el("tr", { "data-symbol": s.symbol }, el("td", {}, el("b", {}, title(s.symbol)), ...s.findings.map((f) =>
    el("div", { class: f.state === "RESOLVED" ? "soft" : "wrong" }, `${f.code} (${f.state === "RESOLVED" ? "over" : "open"}): ${f.cause}`))),
    el("td", {}, `${s.topic}/${s.partition}`), el("td", { class: "num" }, number(s.ticks)), el("td", { class: "num" }, number(s.disorder)),
    el("td", {}, s.silent ? "silent" : s.late ? "out of order" : "in order"), el("td", {}, s.last_event_ms === null ? "–" : clock(s.last_event_ms))));
  $("found").replaceChildren(
    ...r.elsewhere.map((e) => el("p", {}, `${q} would lie on ${e.topic}/${e.partition}, which another instance audits: ask that one.`)),
    rows.length ? el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ...["Symbol", "Partition", "Ticks", "Late", "State", "Last event"].map((h, i) => el("th", { scope: "col", class: i === 2 || i === 3 ? "num" : "" }, h)))), el("tbody", {}, ...rows)))
      : el("p", {}, `No symbol of this instance's partitions holds “${q}”.` + (r.others ? " Other instances audit more partitions." : "")),
    r.more ? el("p", { class: "soft" }, "There are more: write more of the name.") : "");
}
$("q").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(search, 200); });
$("search").addEventListener("submit", (e) => { e.preventDefault(); search(); });

// --- dark and light, keys, size
const dark = matchMedia("(prefers-color-scheme: dark)");
function theme(next) {
  if (next) localStorage.setItem("theme", next);
  const wish = localStorage.getItem("theme") || (dark.matches ? "dark" : "light");
  document.documentElement.classList.toggle("dark", wish === "dark");
  redraw();
}
function redraw() { if (parts) showPartitions(); if (samples) showSamples(); }
const toggle = () => theme(document.documentElement.classList.contains("dark") ? "light" : "dark");
$("theme").addEventListener("click", toggle);
dark.addEventListener("change", () => theme());
addEventListener("resize", redraw);
addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.matches?.("input, textarea")) { if (e.key === "Escape") e.target.blur?.(); return; }
  const to = { "/": () => $("q").focus(), f: () => document.querySelector("#findings summary")?.focus(), p: () => document.querySelector("#bars canvas")?.focus(), d: toggle }[e.key];
  if (to) { e.preventDefault(); to(); }
});

// --- live
function connect() {
  const live = new EventSource("api/v1/events");
  live.addEventListener("state", (e) => { state = JSON.parse(e.data); showState(); });
  live.addEventListener("partitions", (e) => { parts = JSON.parse(e.data); showPartitions(); });
  live.addEventListener("samples", (e) => { samples = JSON.parse(e.data); showSamples(); if (!document.hidden) search(); });
  live.onerror = () => {
    $("pill").textContent = "NOT CONNECTED"; $("pill").className = "pill critical";
    $("reasons").textContent = "The audit does not answer; what stands here is what it said last.";
    if (live.readyState === EventSource.CLOSED) setTimeout(connect, 3000); // else the browser tries again
  };
}
theme();
fetch("api/v1/codes").then((r) => r.json()).then((list) => { codes = Object.fromEntries(list.map((c) => [c.code, c])); }).catch(() => {}).finally(connect);
