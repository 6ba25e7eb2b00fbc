// The search on the pages of `kenaz doc`.
"use strict";
(() => {
  const input = document.getElementById("search"), list = document.getElementById("found");
  const root = document.documentElement.dataset.root;
  const most = 40;
  let on = -1;
  input.hidden = false;

  // Names that are the text come first, then those that begin with it, those that have it, and comments that do.
  const rank = ([name, , , about], text) => {
    const full = name.toLowerCase(), last = full.slice(full.lastIndexOf(".", full.length - 2) + 1);
    if (full === text || last === text) return 0;
    if (last.startsWith(text) || full.startsWith(text)) return 1;
    if (full.includes(text)) return 2;
    return text.length > 2 && about.toLowerCase().includes(text) ? 3 : 4;
  };
  const choose = (index) => {
    const links = list.querySelectorAll("a");
    if (links.length === 0) return;
    on = (index + links.length) % links.length;
    links.forEach((link, i) => link.classList.toggle("on", i === on));
    links[on].scrollIntoView({ block: "nearest" });
  };
  const find = () => {
    const text = input.value.trim().toLowerCase();
    const found = text === "" ? [] : FOUND.map((row) => [rank(row, text), row]).filter(([rank]) => rank < 4);
    found.sort((a, b) => a[0] - b[0] || a[1][0].length - b[1][0].length);
    list.replaceChildren(...found.slice(0, most).map(([, [name, kind, href, about]]) => {
      const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("small");
      const code = document.createElement("code");
      code.textContent = name;
      small.textContent = about ? `${kind} – ${about}` : kind;
      link.href = root + href;
      link.append(code, small);
      item.append(link);
      return item;
    }));
    if (text !== "" && found.length === 0) {
      const item = document.createElement("li");
      item.textContent = "Nothing has this name.";
      list.append(item);
    }
    list.hidden = text === "";
    choose(0);
  };
  input.addEventListener("input", find);
  input.addEventListener("focus", find);
  input.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown") choose(on + 1);
    else if (event.key === "ArrowUp") choose(on - 1);
    else if (event.key === "Enter") list.querySelectorAll("a")[on]?.click();
    else if (event.key === "Escape") { input.value = ""; find(); input.blur(); }
    else return;
    event.preventDefault();
  });
  list.addEventListener("click", () => { list.hidden = true; });
  document.addEventListener("click", (event) => { if (!event.target.closest(".search")) list.hidden = true; });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== input) { event.preventDefault(); input.focus(); }
  });
})();
