// Says that an open page has changed. One tab holds the stream and tells the others; when it closes, the next does.
// What changed is asked for: nobody is told of what the page has.
const key = document.documentElement.dataset.browser;
const news = document.querySelector("#news");
const name = `bindery-live-${key}`;
const channel = new BroadcastChannel(name);
let source, reopening, waiting;

const main = () => document.querySelector("main");
// A page that answers a form has the address of the form.
const address = () => main().dataset.page ?? location.pathname + location.search;

// What others changed is marked when it is shown; a time that passed is no change.
const parts = () => [...document.querySelectorAll("main :is(tbody tr:not(.options tr, .group), :is(.list, .todo, .line) > li)")];

function said(part) {
  const copy = part.cloneNode(true);
  for (const passing of copy.querySelectorAll("time, .due, .sr")) passing.remove();
  return copy.textContent.replace(/\s+/g, " ").trim();
}

function mark(before) {
  for (const part of parts()) {
    if (before.includes(said(part))) continue;
    part.classList.add("fresh");
    (part.querySelector("a, td") ?? part).append(Object.assign(document.createElement("span"), { className: "sr", textContent: " (changed)" }));
  }
}

function hear(line) {
  if (line === "again" || `${line} `.startsWith(`${main().dataset.live} `)) ask();
}

function ask() {
  clearTimeout(waiting);
  waiting = setTimeout(look, 100);
}

async function look() {
  if (document.hidden) return;
  const { live, at, busy } = main().dataset;
  try {
    const answer = await fetch(`/live/news?${new URLSearchParams({ about: live, at })}`, { redirect: "error" });
    const told = answer.ok ? await answer.text() : "0";
    const count = Number(told);
    // Whoever came has left again.
    if (count === 0) return "here" in main().dataset && answer.ok && news.replaceChildren();
    if (busy !== undefined && !main().contains(document.activeElement)) await fill();
    else if (live === "ops") say("Something failed");
    else if (live === "desk") say(`${count > 100 ? "100+" : count} changed`);
    else say(count ? "This page has changed" : told);
  } catch {
    // The next look asks again.
  }
}

async function fill() {
  const answer = await fetch(address());
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
  if (!answer.ok || !fresh) return;
  for (const button of fresh.querySelectorAll("[data-copies]")) button.hidden = !navigator.clipboard;
  const before = parts().map(said);
  main().replaceWith(fresh);
  mark(before);
  news.textContent = fresh.querySelector("[data-says]")?.textContent ?? "";
}

function say(text) {
  const show = document.createElement("a");
  show.href = address();
  show.append("show");
  show.onclick = () => sessionStorage.setItem("before", JSON.stringify([show.href, ...parts().map(said)]));
  news.replaceChildren(`${text} · `, show);
}

function pass(line) {
  channel.postMessage(line);
  hear(line);
}

function listen() {
  source = new EventSource("/live");
  source.onopen = () => pass("again");
  source.onmessage = ({ data }) => pass(data);
  source.addEventListener("end", () => source.close());
  // 2 is closed; in any other state the browser tries again by itself.
  source.onerror = () => {
    if (source.readyState > 1) reopening = setTimeout(listen, 5000 + 5000 * Math.random());
  };
}

if (key && main()?.dataset.live) {
  const [from, ...before] = JSON.parse(sessionStorage.getItem("before") ?? "[]");
  sessionStorage.removeItem("before");
  if (from === location.href) mark(before);
  channel.onmessage = ({ data }) => hear(data);
  document.addEventListener("visibilitychange", ask);
  // An open case says who is there, and who left.
  addEventListener("pagehide", () => "here" in main().dataset && navigator.sendBeacon(`/live/left?${new URLSearchParams({ about: main().dataset.live })}`));
  for (const [kind, wait] of [["busy", 5000], ["here", 60000]]) setInterval(() => kind in main().dataset && ask(), wait);
  ask();
  // Without locks, as over plain http, the visible tab listens for itself.
  if (navigator.locks) navigator.locks.request(name, () => new Promise(listen));
  else {
    const turn = () => {
      clearTimeout(reopening);
      if (document.hidden) source?.close(); else listen();
    };
    document.addEventListener("visibilitychange", turn);
    turn();
  }
}
