// Filters the contents: by the names, methods and paths of operations and schemas or, where none of them has the words,
// by what is written in each section. The page works without it.
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

  /** Returns the target of an entry. */
  function targetOf(li) {
    return document.getElementById(li.querySelector("a").hash.slice(1));
  }

  /** Returns the method and path of the operation of an entry. */
  function callOf(li) {
    return targetOf(li)?.querySelector?.(".call")?.textContent ?? "";
  }

  const wordsOf = (text) => text.toLowerCase().split(/[^\p{L}\p{N}_]+/u).filter(Boolean);

  /** Returns the words that are written in the section of an entry: an article, or what follows its heading. */
  function textOf({ li }) {
    const target = targetOf(li);
    const parts = [];
    for (let e = target; e && (e === target || !/^(H1|H2|ARTICLE|SECTION)$/.test(e.tagName)); e = e.nextElementSibling) {
      parts.push(e.textContent);
      if (e.tagName === "ARTICLE") break;
    }
    return ` ${wordsOf(parts.join(" ")).join(" ")}`;
  }

  const said = document.createElement("p");
  said.setAttribute("role", "status");
  finder.after(said);

  const hits = (has) => new Set(groups.flatMap((g) => g.items.filter(has).map((item) => item.li)));

  finder.hidden = false;
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = hits((item) => wanted.every((word) => item.words.includes(word)));
    said.textContent = "";
    if (found.size === 0) {
      const begun = wordsOf(input.value).map((word) => ` ${word}`);
      found = hits((item) => begun.every((word) => (item.text ??= textOf(item)).includes(word)));
      said.textContent = found.size > 0 ? "In the text of:" : "Nothing found.";
    }
    for (const group of groups) {
      for (const { li } of group.items) li.hidden = !found.has(li);
      const some = group.items.some(({ li }) => found.has(li));
      group.details.hidden = !some;
      group.details.open = wanted.length > 0 ? some : group.open;
    }
  });
  input.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && input.value.trim()) document.querySelector(".contents li:not([hidden]) a")?.click();
  });

  // On a phone the contents scroll away with the page, which is long.
  const back = document.createElement("a");
  back.href = "#finder";
  back.className = "back";
  back.textContent = "Contents";
  document.querySelector("main").append(back);
}
