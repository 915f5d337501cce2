// A key does what the control with that `data-key` does; one that leads "to the button" only focuses it. No key works
// while somebody types. Copying and the user's menu stay when keys are off.
const typing = "input:not([type=checkbox], [type=radio]), select, textarea";
const controls = (key) => [...document.querySelectorAll(`[data-key="${CSS.escape(key)}"]`)].filter((control) => control.checkVisibility());
const line = "main :is(tbody tr, .todo > li)";
const rows = () => [...document.querySelectorAll(line)].filter((row) => row.querySelector("a[href]"));
const here = () => document.activeElement?.closest(line);
let first = "";
let forget;

function step(by) {
  const all = rows();
  const at = all.indexOf(here());
  all.at(at < 0 ? (by > 0 ? 0 : -1) : Math.min(Math.max(at + by, 0), all.length - 1))?.querySelector("a[href]").focus();
}

function section(by) {
  const all = [...document.querySelectorAll("main h2")].filter((head) => head.checkVisibility());
  const at = all.indexOf(document.activeElement);
  const next = all[at < 0 && by < 0 ? all.length - 1 : at + by];
  next?.setAttribute("tabindex", "-1");
  next?.focus();
}

function use(control) {
  if (control.matches("input, select, textarea, [data-does^='to the button']")) control.focus();
  else control.click();
}

// The focused button sends the form, or the one that stands out; a field outside its form has its own beside it.
function send(at) {
  const form = at.form ?? at.closest?.("form");
  const around = form?.contains(at) ? form : at.closest("section");
  const buttons = [...(form?.elements ?? [])].filter((button) => button.type === "submit" && !button.disabled && around?.contains(button));
  form?.requestSubmit(buttons.includes(at) ? at : buttons.find((button) => button.matches(".main")) ?? buttons[0]);
}

function help() {
  const dialog = document.querySelector("#keys");
  const list = dialog.querySelector("dl");
  for (const old of list.querySelectorAll("[data-of-page]")) old.remove();
  const seen = new Set();
  for (const control of document.querySelectorAll("[data-key]")) {
    const key = control.dataset.key;
    if (seen.has(key) || !control.checkVisibility()) continue;
    seen.add(key);
    const [term, text, shown] = ["dt", "dd", "kbd"].map((tag) => document.createElement(tag));
    shown.textContent = key;
    term.append(shown);
    term.dataset.ofPage = text.dataset.ofPage = "";
    text.textContent = control.dataset.does ?? control.getAttribute("aria-label") ?? control.textContent.trim();
    list.append(term, text);
  }
  // A key of the page does what the page says.
  for (const old of list.querySelectorAll("dt:not([data-of-page])"))
    old.hidden = old.nextElementSibling.hidden = [...old.children].some((key) => seen.has(key.textContent));
  dialog.showModal();
}

const ours = {
  j: () => step(1),
  k: () => step(-1),
  o: () => here()?.querySelector("a[href]").click(),
  x: () => here()?.querySelector("input[type=checkbox]")?.click(),
  "[": () => section(-1),
  "]": () => section(1),
  ".": () => {
    const kept = sessionStorage.getItem(location.pathname);
    if (kept && kept !== location.search) location.search = kept;
  },
  "?": help,
};

if (document.querySelector("#keys")) document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.ctrlKey) {
    send(event.target);
    return;
  }
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  if (event.target.matches?.(typing) || document.querySelector("dialog[open]")) return;
  const key = first ? `${first} ${event.key}` : event.key;
  first = "";
  clearTimeout(forget);
  const [control] = controls(key);
  if (control) use(control);
  else if (ours[key]) ours[key]();
  else if (document.querySelector(`[data-key^="${CSS.escape(key)} "]`)) {
    first = key;
    forget = setTimeout(() => { first = ""; }, 1500);
  } else return;
  event.preventDefault();
});

if (location.search) sessionStorage.setItem(location.pathname, location.search);
// The way up leads to the list as it was left: filtered, or not any more.
sessionStorage.setItem(`up ${location.pathname}`, location.search);
for (const link of document.querySelectorAll(".crumb a"))
  link.search ||= sessionStorage.getItem(`up ${link.pathname}`) ?? "";
for (const button of document.querySelectorAll("[data-opens=keys]")) {
  button.hidden = false;
  button.addEventListener("click", help);
}
const menu = document.querySelector(".me");
for (const kind of ["click", "keydown"]) document.addEventListener(kind, ({ key, target }) => {
  if (!menu?.open || (key ? key !== "Escape" : menu.contains(target))) return;
  menu.open = false;
  if (key) menu.firstElementChild.focus();
});
// Over plain http there is no clipboard.
if (navigator.clipboard) {
  for (const button of document.querySelectorAll("[data-copies]")) button.hidden = false;
  document.addEventListener("click", async ({ target }) => {
    const button = target.closest("[data-copies]");
    if (!button) return;
    const text = document.getElementById(button.dataset.copies).textContent.trim();
    const said = await navigator.clipboard.writeText(text).then(() => "Copied", () => "Not copied; a click on it selects it");
    button.nextElementSibling.textContent = said;
  });
}
