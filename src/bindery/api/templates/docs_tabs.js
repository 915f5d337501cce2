(() => {
  "use strict";
  // Examples of several languages become tabs; the reader's language is the same everywhere.
  const shelf = { get: () => { try { return localStorage.getItem("language"); } catch { return null; } },
                  put: (name) => { try { localStorage.setItem("language", name); } catch { /* forbidden: forget it */ } } };
  const groups = [...document.querySelectorAll(".tabs")];
  const choose = (name) => {
    for (const group of groups) {
      const panels = [...group.querySelectorAll(".tab")];
      const shown = panels.find((panel) => panel.dataset.language === name) ?? panels[0];
      for (const panel of panels) panel.hidden = panel !== shown;
      for (const button of group.querySelectorAll("[role=tab]")) {
        const chosen = button.dataset.language === shown.dataset.language;
        button.setAttribute("aria-selected", String(chosen));
        button.tabIndex = chosen ? 0 : -1;
      }
    }
  };
  groups.forEach((group, number) => {
    const list = document.createElement("div");
    list.className = "tablist";
    list.setAttribute("role", "tablist");
    list.setAttribute("aria-label", "Language of the example");
    for (const panel of group.querySelectorAll(".tab")) {
      const head = panel.firstElementChild;
      const button = document.createElement("button");
      button.type = "button";
      button.id = `tab-${number}-${panel.dataset.language}`;
      button.textContent = head.textContent;
      button.dataset.language = panel.dataset.language;
      button.setAttribute("role", "tab");
      button.addEventListener("click", () => { choose(panel.dataset.language); shelf.put(panel.dataset.language); });
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", button.id);
      head.remove();
      list.append(button);
    }
    list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const buttons = [...list.children];
      const next = buttons[(buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length];
      next.focus();
      next.click();
    });
    group.prepend(list);
  });
  choose(shelf.get());
})();
