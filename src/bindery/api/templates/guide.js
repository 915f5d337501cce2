(() => {
  "use strict";
  // Where am I: mark the section in the list beside the page.
  const links = new Map([...document.querySelectorAll(".onpage a[href^='#']")].map((link) => [link.hash.slice(1), link]));
  if (links.size) {
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const link of links.values()) link.removeAttribute("aria-current");
        links.get(entry.target.id)?.setAttribute("aria-current", "location");
      }
    }, { rootMargin: "0px 0px -70% 0px" });
    for (const anchor of links.keys()) seen.observe(document.getElementById(anchor));
  }
})();
