/**
 * The script of the pages, as a file of its own: a policy can then forbid scripts in pages. It puts a button after each
 * field that has `data-show`, which shows the password. It reads the form that has `data-passkey`, asks the browser for
 * what `data-options` says, puts the answer into the field `credential`, and sends the form; with `data-offered`, the
 * browser offers passkeys in the field of the user name, too. It sends nothing anywhere else.
 */
import { createHash } from "node:crypto";
import type { PageResult } from "../../kernel/operation/operation.ts";
import { pageHeaders } from "./layout.ts";

// Conversions of Base64url, and not `toJSON`: browsers of 2024 lack it.
const SCRIPT = `"use strict";
(() => {
  for (const field of document.querySelectorAll("input[data-show]")) {
    const button = document.createElement("button");
    const { show, hide } = field.dataset;
    button.type = "button";
    button.className = "second";
    button.textContent = show;
    button.setAttribute("aria-controls", field.id);
    button.addEventListener("click", () => {
      field.type = field.type === "password" ? "text" : "password";
      button.textContent = field.type === "password" ? show : hide;
    });
    field.form?.addEventListener("submit", () => {
      field.type = "password";
    });
    field.after(button);
  }

  const form = document.querySelector("form[data-passkey]");
  if (!form) return;
  const { passkey: kind, options: asked, unsupported, noAnswer, here, address } = form.dataset;
  const problem = form.querySelector("[data-passkey-problem]");
  const buttons = form.querySelectorAll("button[data-passkey]");
  let isWaiting = false;
  let offer;

  const bytes = (text) =>
    Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));
  const base64url = (buffer) =>
    btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(""))
      .replace(/\\+/g, "-").replace(/\\//g, "_").replace(/=+$/, "");
  const known = (credential) => ({ ...credential, id: bytes(credential.id) });

  const answer = async (more) => {
    const options = JSON.parse(asked);
    const publicKey = { ...options, challenge: bytes(options.challenge) };
    if (kind === "get") {
      publicKey.allowCredentials = options.allowCredentials.map(known);
      return navigator.credentials.get({ publicKey, ...more });
    }
    publicKey.excludeCredentials = options.excludeCredentials.map(known);
    publicKey.user = { ...options.user, id: bytes(options.user.id) };
    return navigator.credentials.create({ publicKey });
  };

  const json = ({ rawId, type, response }) => {
    const members = { transports: response.getTransports ? response.getTransports() : undefined };
    for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
      if (response[name]) members[name] = base64url(response[name]);
    }
    const id = base64url(rawId);
    return JSON.stringify({ id, rawId: id, type, response: members });
  };

  const show = (text) => {
    problem.textContent = text;
    problem.hidden = text === "";
  };

  const textOf = ({ name }) =>
    name === "InvalidStateError" && kind === "create" ? here : name === "SecurityError" ? address : noAnswer;

  form.addEventListener("submit", async (event) => {
    const button = event.submitter;
    const field = form.elements.namedItem("credential");
    if (!button || !button.hasAttribute("data-passkey") || field.value !== "") return;
    event.preventDefault();
    if (isWaiting) return;
    show("");
    if (!window.PublicKeyCredential || !navigator.credentials) return show(unsupported);
    document.querySelector("#problem")?.remove();
    isWaiting = true;
    offer?.abort();
    for (const each of buttons) each.setAttribute("aria-disabled", "true");
    try {
      field.value = json(await answer());
      form.requestSubmit(button);
    } catch (error) {
      show(textOf(error));
      button.focus();
    } finally {
      isWaiting = false;
      for (const each of buttons) each.removeAttribute("aria-disabled");
    }
  });

  const offerPasskeys = async () => {
    if (!(await window.PublicKeyCredential?.isConditionalMediationAvailable?.())) return;
    offer = new AbortController();
    try {
      const given = json(await answer({ mediation: "conditional", signal: offer.signal }));
      form.elements.namedItem("credential").value = given;
      form.requestSubmit(buttons[0]);
    } catch {
      // The person uses the button, or another way.
    }
  };
  if (form.hasAttribute("data-offered")) offerPasskeys();

  // A page that comes back from the history of the browser asks again.
  window.addEventListener("pageshow", () => {
    form.elements.namedItem("credential").value = "";
  });
})();
`;

const DAY_SECONDS = 24 * 60 * 60;

let path: string | undefined;

/** Where the script is. Another text has another address, because browsers keep it for a day. */
export function pageScriptPath(): string {
  path ??= `/oauth2/page-script?v=${createHash("sha256").update(SCRIPT, "utf8").digest("hex").slice(0, 16)}`;
  return path;
}

/** The script. */
export function pageScript(): PageResult {
  return {
    status: 200,
    headers: {
      ...pageHeaders(),
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": `public, max-age=${DAY_SECONDS}`,
    },
    html: SCRIPT,
  };
}
