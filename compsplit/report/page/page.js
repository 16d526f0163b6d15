"use strict";
// Nothing here is needed to read the page: it adds the search, opens what a link leads into, and opens all for printing.
{
  const all = (what, where = document) => [...where.querySelectorAll(what)];

  for (const box of all(".search")) {
    const [field, said] = [box.querySelector("input"), box.querySelector("output")];
    const tables = all("details", box.parentElement).map((details) => ({
      details,
      open: details.open,
      rows: all("tbody tr", details).map((row) => ({ row, text: row.textContent.toLowerCase() })),
    }));
    const search = () => {
      const wanted = field.value.trim().toLowerCase();
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
      said.textContent = wanted ? `${found} of ${rows} rows hold it.` : "";
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

  let closed = [];
  addEventListener("beforeprint", () => {
    closed = all("details:not([open])");
    for (const each of closed) each.open = true;
  });
  addEventListener("afterprint", () => {
    for (const each of closed) each.open = false;
  });
}
