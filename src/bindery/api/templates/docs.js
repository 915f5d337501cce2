(() => {
  "use strict";
  const box = document.getElementById("filter");
  const entries = [...document.querySelectorAll("[data-words]")];
  const listed = entries.filter((entry) => entry.tagName === "LI");
  const groups = [...document.querySelectorAll("nav section, .group")];
  const status = document.querySelector("div.find [role=status]");
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
  document.querySelector("div.find").hidden = false;
  filter();
})();
