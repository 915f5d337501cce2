// Shows what a form leads to while it is filled in, or saves it. Without it a button of each form does the same.
const why = ({ redirected, status }) =>
  redirected ? "you are signed out. Sign in again in another tab; what you typed stays here"
    : status >= 500 ? "the service is not available at the moment. Try again in a minute"
    : "the page is out of date. Open it again";

function watch(form) {
  const said = form.querySelector("[role=status]");
  const ask = form.querySelector("[formaction*=preview], [formaction$=save]");
  const { part, fails, wait: saves } = form.dataset;
  let newest = 0, waiting, asking, pressed;

  async function preview() {
    // Of two at once the first might come last.
    if (saves && asking) return later(99);
    const mine = newest;
    asking?.abort();
    asking = new AbortController();
    const shown = document.getElementById(part);
    const fields = new FormData(form);
    // Of a file the name is enough.
    if (fields.has("file")) fields.set("file", fields.get("file").name);
    shown.ariaBusy = "true";
    try {
      const answer = await fetch(ask.formAction, {
        method: "POST",
        headers: { "X-Part": part },
        body: new URLSearchParams(fields),
        signal: asking.signal,
        keepalive: true,
      });
      const text = await answer.text();
      if (mine !== newest && !saves) return;
      const answered = new DOMParser().parseFromString(text, "text/html");
      const fresh = answered.getElementById(part);
      if (!fresh) return fail(shown, why(answer));
      // Whatever has an id of the page takes its place, unless somebody is in it. Of an answer to less, only what was
      // saved: without it the next save would look as if nobody had touched what is changed back.
      for (const piece of mine === newest ? [...answered.body.children] : [fresh]) {
        const old = document.getElementById(piece.id);
        if (!old?.contains(document.activeElement)) old?.replaceWith(piece);
      }
      if (saves) history.replaceState(null, "", form.action);
      tell(fresh.querySelector(".wrong")?.textContent ?? fresh.dataset.said ?? `Premium ${fresh.querySelector(".figure")?.textContent ?? "not priced"}`, saves);
    } catch (fault) {
      if (fault.name !== "AbortError") fail(shown, "there is no connection. Try again in a minute");
    } finally {
      if (saves) asking = undefined;
      if (pressed) form.requestSubmit(pressed);
    }
  }

  // What was said is not said again with each save; what a save tells stands on the page as well.
  function tell(text, isHeard) {
    if (said.textContent !== text) said.textContent = text;
    if (saves) said.className = isHeard ? "sr" : "wrong";
  }

  // What is shown stays: nothing is sent on a guess.
  function fail(shown, because) {
    shown.ariaBusy = null;
    tell(`${fails ?? "This could not be worked out"}: ${because}.`);
  }

  const isChanged = (field) =>
    field.checked !== field.defaultChecked || field.value !== (field.options ? (field.querySelector("[selected]") ?? field.options[0]).value : field.defaultValue);
  const counts = (field) => saves ? field.type !== "submit" : "priced" in field.dataset;
  const later = (wait) => {
    // An answer to less is of no use.
    newest++;
    clearTimeout(waiting);
    waiting = setTimeout(preview, wait);
  };
  // Somebody may have been faster.
  if (ask && [...form.elements].some((field) => counts(field) && isChanged(field))) preview();
  form.addEventListener("input", ({ target }) => ask && counts(target) && later(target.dataset.wait ?? saves ?? 60));
  // What is pressed while a save is on its way is sent after it, since the first might come last; a second press
  // waits for nothing.
  form.addEventListener("submit", (event) => {
    if (!saves || !asking || pressed) return;
    pressed = event.submitter;
    event.preventDefault();
  });
  if (saves) form.addEventListener("change", ({ target }) => {
    if (target.checked) for (const box of form.querySelectorAll(`[name="${target.name}"]`))
      box.checked &&= box === target || (target.dataset.alone ?? box.dataset.alone) === undefined;
    later(0);
  });
}

for (const form of document.querySelectorAll("form[data-part]")) watch(form);
