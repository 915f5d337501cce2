// Shows what a form leads to while it is filled in. Without it a button of each form does the same.
const why = (answer) => {
  if (answer.redirected) return "you are signed out. Sign in again in another tab; what you typed stays here";
  if (answer.status >= 500) return "the service is not available at the moment. Try again in a minute";
  return "the page is out of date. Open it again";
};

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
    const fields = new FormData(form);
    // Of a file the name is enough.
    if (fields.has("file")) fields.set("file", fields.get("file").name);
    shown.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(ask.formAction, {
        method: "POST",
        headers: { "X-Part": form.dataset.part },
        body: new URLSearchParams(fields),
        signal: asking.signal,
      });
      const text = await answer.text();
      if (mine !== newest) return;
      const answered = new DOMParser().parseFromString(text, "text/html");
      const fresh = answered.getElementById(form.dataset.part);
      if (!fresh) {
        fail(shown, why(answer));
        return;
      }
      // Whatever has an id of the page takes its place: the price, and all that follows from it.
      for (const piece of [...answered.body.children]) document.getElementById(piece.id)?.replaceWith(piece);
      said.textContent = fresh.querySelector(".wrong")?.textContent ?? fresh.dataset.said ?? `Premium ${fresh.querySelector(".figure")?.textContent ?? "not priced"}`;
    } catch (fault) {
      if (fault.name !== "AbortError") fail(shown, "there is no connection. Try again in a minute");
    }
  }

  // What is shown stays, and so does the premium that the form was opened with: nothing is sent on a guess.
  function fail(shown, because) {
    shown.removeAttribute("aria-busy");
    said.textContent = `This could not be worked out: ${because}.`;
  }

  const isChanged = (field) =>
    field.checked !== field.defaultChecked || field.value !== (field.options ? (field.querySelector("[selected]") ?? field.options[0]).value : field.defaultValue);
  // Somebody may have been faster than this script.
  if (ask && [...form.elements].some((field) => "priced" in field.dataset && isChanged(field))) preview();
  form.addEventListener("input", (event) => {
    if (!ask || !("priced" in event.target.dataset)) return;
    clearTimeout(waiting);
    waiting = setTimeout(preview, 60);
  });
}

for (const form of document.querySelectorAll("form[data-part]")) watch(form);
