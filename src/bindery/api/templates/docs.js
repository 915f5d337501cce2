(() => {
  "use strict";
  const menu = document.querySelector(".menu");
  const narrow = matchMedia("(max-width: 60rem)");
  const fold = () => { menu.open = !narrow.matches; };
  narrow.addEventListener("change", fold);
  fold();
  menu.addEventListener("click", (event) => {
    if (narrow.matches && event.target.closest("nav a")) menu.open = false;
  });

  const box = document.getElementById("filter");
  const entries = [...document.querySelectorAll("[data-words]")];
  const listed = entries.filter((entry) => entry.tagName === "LI");
  const groups = [...document.querySelectorAll("nav section, .group")];
  const status = document.querySelector(".find [role=status]");
  const nothing = document.querySelector(".nothing");
  const filter = () => {
    const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const entry of entries) {
      entry.hidden = !wanted.every((word) => entry.dataset.words.includes(word));
    }
    for (const group of groups) {
      const inside = [...group.querySelectorAll("[data-words]")];
      group.hidden = inside.length > 0 && inside.every((entry) => entry.hidden);
    }
    const left = listed.filter((entry) => !entry.hidden).length;
    nothing.hidden = left > 0;
    status.textContent = wanted.length ? `${left} of ${listed.length} operations` : "";
  };
  box.addEventListener("input", filter);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { box.value = ""; filter(); }
  });
  document.querySelector(".find").hidden = false;
  filter();

  for (const block of document.querySelectorAll(".code")) {
    const text = block.querySelector("code");
    const button = document.createElement("button");
    const say = (word) => {
      button.textContent = word;
      setTimeout(() => { button.textContent = "Copy"; }, 1600);
    };
    button.type = "button";
    button.textContent = "Copy";
    button.setAttribute("aria-live", "polite");
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text.textContent);
        say("Copied");
      } catch {
        // Plain http has no clipboard: leave the text selected for the keyboard.
        getSelection().selectAllChildren(text);
        say("Selected");
      }
    });
    block.append(button);
  }
})();
