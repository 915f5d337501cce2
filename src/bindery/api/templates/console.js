(() => {
  "use strict";
  // The token lives in this tab and nowhere else: closing the tab forgets it.
  const token = document.getElementById("token");
  try {
    token.value = sessionStorage.getItem("token") ?? token.value;
    token.addEventListener("input", () => sessionStorage.setItem("token", token.value));
  } catch { /* forbidden: it lives in this page */ }
  document.querySelector(".token").hidden = false;
  for (const box of document.querySelectorAll(".try")) box.hidden = false;

  const describe = async (answer) => {
    const head = `${answer.status} ${answer.statusText}\n`;
    const type = answer.headers.get("content-type") ?? "";
    const kept = ["content-type", "etag", "location", "retry-after", "x-request-id"]
      .filter((name) => answer.headers.has(name))
      .map((name) => `${name}: ${answer.headers.get(name)}`).join("\n");
    if (type.includes("json")) {
      const text = await answer.text();
      try { return `${head}${kept}\n\n${JSON.stringify(JSON.parse(text), null, 2)}`; } catch { return `${head}${kept}\n\n${text}`; }
    }
    if (type.startsWith("text/")) return `${head}${kept}\n\n${await answer.text()}`;
    const bytes = (await answer.arrayBuffer()).byteLength;
    return `${head}${kept}\n\n${bytes.toLocaleString()} bytes`;
  };

  document.addEventListener("submit", async (event) => {
    const form = event.target.closest(".try form");
    if (!form) return;
    event.preventDefault();
    const out = form.querySelector("output");
    const headers = token.value ? { Authorization: `Bearer ${token.value.trim()}` } : {};
    let path = form.dataset.path;
    let body;
    const query = new URLSearchParams();
    const parts = new FormData();
    for (const field of form.elements) {
      const place = field.dataset.in;
      const value = field.type === "file" ? field.files[0] : field.value;
      if (!field.name || value === "" || value === undefined) continue;
      if (place === "path") path = path.replace(`{${field.name}}`, encodeURIComponent(value));
      else if (place === "query") query.set(field.name, value);
      else if (place === "header") headers[field.name] = value;
      else if (place === "form") { parts.append(field.name, value); body = parts; }
      else if (field.name === "body") { body = value; headers["Content-Type"] = field.dataset.type; }
    }
    out.textContent = "Sending …";
    try {
      const answer = await fetch(path + (query.size ? `?${query}` : ""), { method: form.dataset.method, headers, body });
      out.textContent = await describe(answer);
    } catch (fault) {
      out.textContent = `No answer: ${fault.message}`;
    }
  });
})();
