// The page of `kenaz explain`: lights up what belongs together, and chooses notes and stages.
"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const light = (at, on) => all(`[data-at="${at}"]`).forEach((part) => part.classList.toggle("lit", on));

  // What belongs to one line of the source lights up together.
  for (const part of all("[data-at]")) {
    const at = part.dataset.at;
    for (const [begin, end] of [["mouseenter", "mouseleave"], ["focusin", "focusout"]]) {
      part.addEventListener(begin, () => light(at, true));
      part.addEventListener(end, () => light(at, false));
    }
  }

  // A line of a stage leads to the line of the source that it comes from, and the other way round.
  const show = (part) => part && part.scrollIntoView({ block: "nearest" });
  for (const part of all(".stage [data-at]")) {
    part.addEventListener("click", () => {
      const line = document.querySelector(`.source [data-at="${part.dataset.at}"]`);
      if (line && line.tagName === "DETAILS") line.open = true;
      show(line);
    });
  }
  for (const line of all(".source [data-at]")) {
    line.addEventListener("click", () => {
      const stage = document.querySelector(".stage:not([hidden])");
      const part = stage && stage.querySelector(`[data-at="${line.dataset.at}"]`);
      if (part) stage.scrollTop = part.offsetTop - stage.offsetTop - stage.clientHeight / 3;
    });
  }

  const tabs = all("[role=tab]");
  const choose = (tab) => {
    for (const other of tabs) {
      const is = other === tab;
      other.setAttribute("aria-selected", is);
      other.tabIndex = is ? 0 : -1;
      document.getElementById(other.getAttribute("aria-controls")).hidden = !is;
    }
  };
  tabs.forEach((tab, i) => {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(i + step + tabs.length) % tabs.length];
      choose(next);
      next.focus();
    });
  });

  for (const button of all("button.topic")) {
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", on);
      all(`.note.of-${button.dataset.topic}, .dot.${button.dataset.topic}`).forEach((part) => { part.hidden = !on; });
    });
  }
  const fold = document.getElementById("fold");
  fold.addEventListener("click", () => {
    const open = fold.getAttribute("aria-pressed") !== "true";
    fold.setAttribute("aria-pressed", open);
    all("details.line").forEach((line) => { line.open = open; });
  });
})();
