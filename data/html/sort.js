// SPDX-License-Identifier: MIT
// Lets a reader sort the tables; without it they stand in the order of the report.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  if (body.rows.length < 2) continue;
  const key = (row, column) => {
    const cell = row.cells[column];
    const order = cell.dataset.order;
    return order === undefined ? cell.textContent : Number(order);
  };
  const compare = (a, b) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", {numeric: true});
  heads.forEach((head, column) => {
    if (head.tagName !== "TH" || !body.rows[0].cells[column].textContent) return;
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const first = head.classList.contains("number") ? "descending" : "ascending";
      const other = first === "descending" ? "ascending" : "descending";
      const order = head.getAttribute("aria-sort") === first ? other : first;
      heads.forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", order);
      const sign = order === "descending" ? -1 : 1;
      body.append(...[...body.rows].sort((a, b) => sign * compare(key(a, column), key(b, column))));
    });
  });
}
