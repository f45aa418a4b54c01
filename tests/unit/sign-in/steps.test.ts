/** The table of steps: each form of a page is sent to the operation that the table names, and no form is forgotten. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { signInOperations } from "#core/sign-in/flow/contract.ts";
import { formsOfPages } from "#core/sign-in/flow/pending.ts";
import { signInSteps } from "#core/sign-in/flow/steps.ts";

const forms = Object.values(signInSteps).flatMap((step) => Object.entries(step.forms));

test.each(forms)("the form of the page %s is sent to %s", (page, operation) => {
  expect(signInOperations[operation].path).toBe(formsOfPages[page as keyof typeof formsOfPages].path);
});

test("has every page of a sign-in, and every operation that takes a form of one", () => {
  const pages = Object.keys(formsOfPages).filter((page) => page !== "sign-out");
  expect(forms.map(([page]) => page).sort()).toEqual(pages.sort());
  const taking = Object.entries(signInOperations).flatMap(([id, { method, path }]) =>
    method === "POST" && Object.values(formsOfPages).some((form) => form.path === path) ? [id] : [],
  );
  expect(forms.map(([, operation]) => operation).sort()).toEqual(taking.filter((id) => id !== "signOut").sort());
});

test("is the table of docs/sign-in.md", () => {
  const documented = readFileSync("docs/sign-in.md", "utf8");
  const words = {
    who: "Who",
    proofs: "Proofs",
    newPassword: "New password",
    access: "Access",
    consent: "Consent",
  };
  const rows = Object.entries(signInSteps).map(([name, step]) => {
    const paths = Object.keys(step.forms).map((page) => `\`${formsOfPages[page as keyof typeof formsOfPages].path}\``);
    return `| ${words[name as keyof typeof words]} | ${paths.join(", ")} | \`${step.withoutPage[0]}\` |`;
  });
  expect(documented).toContain(rows.join("\n"));
});
