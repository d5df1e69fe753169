// Sets the first or next password of an account. The one-time token is what
// follows # in the address, which browsers send to nobody.
"use strict";

const setup = document.getElementById("setup");
const form = setup.querySelector("form");
const outcome = document.getElementById("outcome");
const setupToken = decodeURIComponent(location.hash.slice(1));

// Nobody is to find the token in the history of this browser.
history.replaceState(null, "", location.pathname);

function tell(text, good) {
  outcome.textContent = text;
  outcome.dataset.outcome = good ? "good" : "bad";
}

if (!setupToken) {
  form.hidden = true;
  tell("This link has no token. Ask your administrator for a new one.");
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const password = form.elements.password.value;
  if (password !== form.elements.again.value) {
    tell("The two passwords differ.");
    return;
  }
  const button = form.querySelector("button");
  button.disabled = true;
  try {
    const response = await fetch(setup.dataset.action, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ setupToken, password }),
    });
    const { success, error } = await response.json();
    if (success) {
      form.hidden = true;
      tell("The password is set. You can sign in now.", true);
    } else {
      tell([error.message, ...(error.details ?? []).map((d) => d.message)].join(" "));
    }
  } catch {
    tell("The server cannot be reached. Try again.");
  }
  button.disabled = false;
});
