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

  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.closest("input, textarea, select")) {
      event.preventDefault();
      document.getElementById("query").focus();
    }
  });
})();
