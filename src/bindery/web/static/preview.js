// Shows what terms cost while they are chosen. Without it a button of each form does the same.
function watch(form) {
  const said = form.querySelector("[role=status]");
  const ask = form.querySelector("[formaction*=preview]");
  let newest = 0;
  let waiting;
  let asking;

  async function preview() {
    const mine = ++newest;
    asking?.abort();
    asking = new AbortController();
    const shown = document.getElementById(form.dataset.part);
    shown.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(ask.formAction, {
        method: "POST",
        headers: { "X-Part": form.dataset.part },
        body: new URLSearchParams(new FormData(form)),
        signal: asking.signal,
      });
      const text = await answer.text();
      if (mine !== newest) return;
      const fresh = new DOMParser().parseFromString(text, "text/html").getElementById(form.dataset.part);
      shown.replaceWith(fresh);
      for (const priced of fresh.querySelectorAll("[data-premium]")) {
        const name = priced.dataset.quote ? `shown_premium-${priced.dataset.quote}` : "shown_premium";
        if (form.elements[name]) form.elements[name].value = priced.dataset.premium;
      }
      said.textContent = fresh.querySelector(".fault")?.textContent ?? `Premium ${fresh.querySelector(".figure")?.textContent ?? "not priced"}`;
    } catch (fault) {
      if (fault.name !== "AbortError") shown.removeAttribute("aria-busy");
    }
  }

  const isChanged = (field) =>
    field.value !== (field.options ? (field.querySelector("[selected]") ?? field.options[0]).value : field.defaultValue);
  // Somebody may have been faster than this script.
  if (ask && [...form.elements].some((field) => "priced" in field.dataset && isChanged(field))) preview();
  form.addEventListener("input", (event) => {
    if (!ask || !("priced" in event.target.dataset)) return;
    clearTimeout(waiting);
    waiting = setTimeout(preview, 60);
  });
}

for (const form of document.querySelectorAll("form[data-part]")) watch(form);
