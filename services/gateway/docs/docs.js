// Draws the reference from the OpenAPI document, and shows the entry of an
// error when the address names one.
"use strict";

const reference = document.getElementById("reference");
const fonts = 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif';

Redoc.init(
  reference.dataset.document,
  {
    hideDownloadButtons: false,
    expandResponses: "",
    jsonSamplesExpandLevel: 4,
    sortRequiredPropsFirst: true,
    showExtensions: ["x-required-role", "x-unit"],
    theme: {
      colors: { primary: { main: "#0b6b4f" } },
      typography: {
        fontFamily: fonts,
        headings: { fontFamily: fonts },
        code: { fontFamily: "ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" },
      },
    },
  },
  reference,
  () => { document.documentElement.dataset.ready = "yes"; },
);

function showError() {
  const id = decodeURIComponent(location.hash.slice(1));
  const errors = document.getElementById("errors");
  const entry = id && document.getElementById(id);
  if (entry && errors.contains(entry)) {
    errors.open = true;
    entry.scrollIntoView();
  }
}
addEventListener("hashchange", showError);
showError();
