// Shows what changed terms cost while they are typed. Without it the button «Recalculate» does the same.
const form = document.querySelector("#decide");
const said = document.querySelector("#said");
const recalculate = form?.querySelector("[formaction*=preview]");
let newest = 0;
let waiting;
let asking;

async function preview() {
  const mine = ++newest;
  asking?.abort();
  asking = new AbortController();
  const sheet = document.querySelector("#worksheet");
  sheet.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(recalculate.formAction, {
      method: "POST",
      headers: { "X-Part": "worksheet" },
      body: new URLSearchParams(new FormData(form)),
      signal: asking.signal,
    });
    const text = await answer.text();
    if (mine !== newest) return;
    const page = new DOMParser().parseFromString(text, "text/html");
    const fresh = page.querySelector("#worksheet");
    sheet.replaceWith(fresh);
    for (const priced of page.querySelectorAll("[data-quote]")) {
      const field = form.elements[`shown_premium-${priced.dataset.quote}`];
      if (field) field.value = priced.dataset.premium;
    }
    said.textContent = fresh.querySelector(".fault")?.textContent ?? `Premium ${fresh.querySelector(".figure")?.textContent ?? "not priced"}`;
  } catch (fault) {
    if (fault.name !== "AbortError") sheet.removeAttribute("aria-busy");
  }
}

const isTerm = (field) => ["aggregate_retention", "per_claim_retention", "premium"].includes(field.name);
const isChanged = (field) =>
  field.value !== (field.options ? (field.querySelector("[selected]") ?? field.options[0]).value : field.defaultValue);

if (form && recalculate) {
  // Somebody may have been faster than this script.
  if ([...form.elements].some((field) => isTerm(field) && isChanged(field))) preview();
  form.addEventListener("input", (event) => {
    if (!isTerm(event.target)) return;
    clearTimeout(waiting);
    waiting = setTimeout(preview, 60);
  });
}
