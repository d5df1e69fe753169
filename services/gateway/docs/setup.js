// Sets the password of an account, or accepts an invitation with an existing account.
// The one-time token is in the fragment of the URL, which browsers do not send.
"use strict";

const setup = document.getElementById("setup");
const form = setup.querySelector("form");
const accept = document.getElementById("accept");
const outcome = document.getElementById("outcome");
const setupToken = decodeURIComponent(location.hash.slice(1));

// Remove the token from the history of this browser.
history.replaceState(null, "", location.pathname);

function tell(text, good) {
  outcome.textContent = text;
  outcome.dataset.outcome = good ? "good" : "bad";
  if (!good) return;
  const on = document.createElement("a");
  on.href = "/";
  on.textContent = "Sign in";
  outcome.append(" ", on);
  on.focus();
}

// send posts a body and returns the data of the response, or throws its error.
async function send(url, body, accessToken) {
  const headers = { "Content-Type": "application/json" };
  if (accessToken) headers.Authorization = `Bearer ${accessToken}`;
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const { success, data, error } = await response.json();
  if (!success) throw error;
  return data;
}

// attempt submits a form and shows the outcome.
async function attempt(of, work) {
  const button = of.querySelector("button");
  button.disabled = true;
  try {
    tell(await work(), true);
    of.hidden = true;
  } catch (error) {
    if (error.code && error.details?.some((d) => d.code === "ACCEPT_INVITATION")) {
      form.hidden = true;
      accept.hidden = false;
      // The console explains separate accounts and sets them up.
      document.getElementById("separate").href = `/setup#${encodeURIComponent(setupToken)}`;
      tell("");
    } else if (error.code) {
      tell([error.message, ...(error.details ?? []).map((d) => d.message)].join(" "));
    } else {
      tell("The server cannot be reached. Try again.");
    }
  }
  button.disabled = false;
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
  await attempt(form, async () => {
    await send(setup.dataset.action, { setupToken, password });
    return "The password is set.";
  });
});

accept.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { email, password } = accept.elements;
  await attempt(accept, async () => {
    const { accessToken } = await send(setup.dataset.login, { email: email.value, password: password.value });
    try {
      await send(setup.dataset.accept, { token: setupToken }, accessToken);
    } finally {
      await send(setup.dataset.logout, {}, accessToken); // signing in was for this alone
    }
    return "You are a member now. Choose the organization after signing in.";
  });
});
