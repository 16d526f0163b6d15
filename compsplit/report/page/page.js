"use strict";
// Nothing here is needed to read the page: it adds the search, opens what a link leads into, and opens all for printing.
{
  const all = (what, where = document) => [...where.querySelectorAll(what)];

  // Where one text ends and the next begins is a space, as it is seen.
  const words = (row) => {
    const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) found.push(texts.currentNode.data);
    return found.join(" ").replace(/\s+/g, " ").toLowerCase();
  };

  for (const box of all(".search")) {
    const [field, said] = [box.querySelector("input"), box.querySelector("output")];
    const tables = all("details", box.parentElement).map((details) => ({
      details,
      open: details.open,
      rows: all("tbody tr", details).map((row) => ({ row, text: words(row) })),
    }));
    const search = () => {
      const wanted = field.value.trim().replace(/\s+/g, " ").toLowerCase();
      let found = 0, rows = 0;
      for (const table of tables) {
        let here = 0;
        for (const { row, text } of table.rows) {
          row.hidden = !text.includes(wanted);
          here += row.hidden ? 0 : 1;
        }
        table.details.open = wanted ? here > 0 : table.open;
        found += here;
        rows += table.rows.length;
      }
      const [here, of] = [found, rows].map((each) => each.toLocaleString("en"));
      said.textContent = wanted ? `${here} of the ${of} rows on this page hold it. ${box.dataset.rest}`.trim() : "";
    };
    field.addEventListener("input", search);
    box.hidden = false;
  }

  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    for (let each = target; each; each = each.parentElement) {
      if (each.tagName === "DETAILS") each.open = true;
      each.hidden = false;
    }
    target?.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  if (location.hash) reveal();

  // What scrolls is reached with the keyboard; without scripts all that may scroll is.
  const stops = () => {
    for (const each of all(".scroll, pre")) {
      const scrolls = each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight;
      if (scrolls) each.tabIndex = 0;
      else each.removeAttribute("tabindex");
    }
  };
  addEventListener("resize", stops);
  document.addEventListener("toggle", stops, true);
  stops();

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    for (const each of closed) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of closed) each.open = false;
  });
}
