// A key does what the control with that `data-key` does; one that leads "to the button" only focuses it. No key works
// while somebody types. Copying and the user's menu stay when keys are off.
const visible = (selector) => [...document.querySelectorAll(selector)].filter((found) => found.checkVisibility());
// By key, the last control first, so that the first one of a key is taken.
const ofPage = () => new Map(visible("[data-key]:not(:disabled)").reverse().map((control) => [control.dataset.key, control]));
const all = document.querySelector("#keys ul");
// What our own keys work on.
const [row, , , head] = [...all?.children ?? []].map((item) => item.dataset.needs);
const here = () => document.activeElement.closest(row);
const { search, pathname } = location;
const kept = sessionStorage.getItem(pathname);
const left = kept !== search && kept;
if (left) document.body.dataset.left = "";
let first = "", forget;

function step(by) {
  const rows = visible(row);
  const at = rows.indexOf(here());
  rows.at(at < 0 ? Math.min(by, 0) : Math.min(Math.max(at + by, 0), rows.length - 1))?.querySelector("a[href]").focus();
}

function section(by) {
  const heads = visible(head);
  const at = heads.indexOf(document.activeElement);
  const next = heads.at(at < 0 && by < 0 ? -1 : at + by);
  if (next) next.tabIndex = -1;
  next?.focus();
}

function use(control) {
  if (control.matches("input, select, textarea, [data-does^='to the button']")) control.focus();
  else control.click();
}

// The focused button sends the form, or the one that stands out; a field outside its form has its own beside it.
function send(at) {
  const form = at.form ?? at.closest?.("form");
  if (!form) return;
  const around = form.contains(at) ? form : at.closest("section");
  const buttons = [...form.elements].filter((button) => button.type === "submit" && !button.disabled && around?.contains(button));
  form.requestSubmit(buttons.includes(at) ? at : buttons.find((button) => button.matches(".main")) ?? buttons[0]);
}

// Lists the keys that do something on the page as it is; the foot has those that stand on no control.
function list() {
  const controls = ofPage();
  for (const old of all.querySelectorAll("[data-of]")) old.remove();
  for (const item of all.children) {
    // A key of the page does what the page says.
    for (const key of item.children) key.hidden = controls.has(key.textContent);
    item.hidden = !visible(item.dataset.needs)[0] || !item.querySelector(":not([hidden])");
  }
  for (const [key, control] of [...controls].reverse()) {
    const [item, shown] = ["li", "kbd"].map((tag) => document.createElement(tag));
    shown.textContent = key;
    // Numbers share one line.
    if (key > 1) all.lastChild.lastChild.before(" ", shown);
    else {
      item.append(shown, ` ${control.dataset.does ?? control.firstChild.data}`);
      item.dataset.of = control.matches("main :not(input, :has(kbd))");
      all.append(item);
    }
  }
  document.querySelector(".foot .keys").replaceChildren(...all.cloneNode(true).children);
}

const ours = {
  j: () => step(1),
  k: () => step(-1),
  o: () => here()?.querySelector("a[href]").click(),
  x: () => here()?.querySelector("input[type=checkbox]")?.click(),
  "[": () => section(-1),
  "]": () => section(1),
  ".": () => { if (left) location.search = left; },
  "?": () => all.parentNode.showModal(),
};

function press(event) {
  const { ctrlKey, target } = event;
  if (event.key === "Enter" && ctrlKey) return send(target);
  if (ctrlKey || event.altKey || event.metaKey || event.isComposing || target.matches?.("input:not([type=checkbox], [type=radio]), select, textarea") || all.parentNode.open) return;
  const key = first ? `${first} ${event.key}` : event.key;
  const controls = ofPage();
  first = "";
  clearTimeout(forget);
  if (controls.has(key)) use(controls.get(key));
  else if (ours[key]) ours[key]();
  else if ([...controls.keys()].some((other) => other.startsWith(`${key} `))) {
    first = key;
    forget = setTimeout(() => { first = ""; }, 1500);
  } else return;
  event.preventDefault();
}

if (all) {
  list();
  // The page fills in and unfolds, and rows are picked.
  new MutationObserver((changes) => changes.some(({ target }) => !target.closest(".keys")) && list())
    .observe(document.body, { childList: true, subtree: true });
  for (const kind of ["toggle", "change"]) document.addEventListener(kind, list, true);
  document.addEventListener("keydown", press);
}

if (search) sessionStorage.setItem(pathname, search);
// The way up leads to the list as it was left: filtered, or not any more.
sessionStorage.setItem(`up ${pathname}`, search);
for (const link of document.querySelectorAll(".crumb a"))
  link.search ||= sessionStorage.getItem(`up ${link.pathname}`) ?? "";
for (const button of document.querySelectorAll("[data-opens=keys]")) {
  button.hidden = false;
  button.onclick = ours["?"];
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
    button.nextElementSibling.textContent = await navigator.clipboard.writeText(text).then(() => "Copied", () => "Not copied; a click selects it");
  });
}
