// Filters the contents by the words of operations and schemas. The page works
// without it.
"use strict";
{
  const finder = document.getElementById("finder");
  const input = finder.querySelector("input");
  const groups = [...document.querySelectorAll(".contents details")].map((details) => ({
    details,
    open: details.open,
    items: [...details.querySelectorAll("li")].map((li) => ({
      li,
      words: (li.textContent + " " + li.querySelector("a").hash + " " + callOf(li)).toLowerCase(),
    })),
  }));

  /** Returns the method and path of the operation of an entry. */
  function callOf(li) {
    const target = document.getElementById(li.querySelector("a").hash.slice(1));
    return target?.querySelector?.(".call")?.textContent ?? "";
  }

  finder.hidden = false;
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const group of groups) {
      let found = 0;
      for (const item of group.items) {
        const hit = wanted.every((word) => item.words.includes(word));
        item.li.hidden = !hit;
        if (hit) found++;
      }
      group.details.hidden = found === 0;
      group.details.open = wanted.length > 0 ? found > 0 : group.open;
    }
  });
}
