(() => {
  "use strict";
  // Every operation once stood on one page, and links to its anchors are kept in places we do not know.
  const leadOn = () => {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (row?.matches(".operations > li")) location.replace(row.querySelector("a").href);
  };
  addEventListener("hashchange", leadOn);
  leadOn();

  const box = document.getElementById("filter");
  const entries = [...document.querySelectorAll("[data-words]")];
  const listed = entries.filter((entry) => entry.closest("nav"));
  const chapters = [...document.querySelectorAll(".chapter")];
  const unfolded = new Map(chapters.map((chapter) => [chapter, chapter.open]));
  const status = document.querySelector("div.find [role=status]");
  const nothing = document.querySelector(".nothing");
  const filter = () => {
    const wanted = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const entry of entries) {
      entry.hidden = !wanted.every((word) => entry.dataset.words.includes(word));
    }
    for (const group of document.querySelectorAll(".chapter, .group")) {
      group.hidden = [...group.querySelectorAll("[data-words]")].every((entry) => entry.hidden);
    }
    for (const chapter of chapters) chapter.open = wanted.length > 0 || unfolded.get(chapter);
    const left = listed.filter((entry) => !entry.hidden).length;
    nothing.hidden = left > 0;
    status.textContent = wanted.length ? `${left} of ${listed.length} operations` : "";
  };
  box.addEventListener("input", filter);
  box.addEventListener("keydown", (event) => {
    if (event.key === "Escape") { box.value = ""; filter(); }
    if (event.key === "Enter") listed.find((entry) => !entry.hidden)?.querySelector("a").click();
  });
  document.querySelector("div.find").hidden = false;
})();
