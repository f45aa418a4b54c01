/** The table of settings (decision 0075): every leaf that the API takes has a row, and each row is true. */
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { samplesOf, valuesAt } from "#tests/support/settings-samples.ts";
import { models, ROWS_FILE, settingsDocument } from "#tools/settings/settings.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const textOf = (file: string) => (existsSync(`${root}${file}`) ? readFileSync(`${root}${file}`, "utf8") : "");

test("docs/settings-of-applications.md is current: npm run settings-table writes it", () => {
  expect(textOf("docs/settings-of-applications.md")).toBe(settingsDocument());
});

/** Settings of OpenID Connect without an effect here, each for a reason. Any other is enforced or refused. */
const keptOfOidc = [
  // Other ways to begin a sign-in, which this service does not have.
  ...["authReqExpiryTime", "notificationChannels", "skipUserValidation", "allowFederatedUsers"].map(
    (name) => `cibaAuthenticationRequest.${name}`,
  ),
  ...["subjectToken.enable", "subjectToken.applicationSubjectTokenExpiryInSeconds"],
  // Scopes are granted by roles in any case.
  "scopeValidators",
  // What follows waits for encrypted requests.
  ...["requestObject.encryption.algorithm", "requestObject.encryption.method"],
];

test("of the settings of OpenID Connect only these are kept, and those of claims all have an effect", () => {
  const keptIn = (title: string) =>
    Object.entries(models.find((model) => model.title === title)?.rows ?? {}).flatMap(([leaf, { kind }]) =>
      kind === "kept" ? [leaf] : [],
    );
  expect(keptIn("OAuth2 and OpenID Connect").toSorted()).toEqual(keptOfOidc.toSorted());
  const ofClaims = keptIn("Application").filter((leaf) => leaf.startsWith("claimConfiguration."));
  // Labels, and subjects of users of other identity providers.
  expect(ofClaims.filter((leaf) => !/\.displayName$|MappedLocalSubject|mappedLocalSubject/.test(leaf))).toEqual([]);
});

describe.each(models)("$title", ({ title, rows, leaves }) => {
  test.each(leaves)("%s has a row", (leaf) => {
    expect(
      Object.hasOwn(rows, leaf),
      `${title} has a new setting ${leaf}: add a row to ${ROWS_FILE} (enforced with its test, kept, or refused)`,
    ).toBe(true);
  });
  test("has no row without a setting, and every setting once", () => {
    expect(Object.keys(rows).filter((leaf) => !leaves.includes(leaf))).toEqual([]);
    expect(new Set(leaves).size).toBe(leaves.length);
  });
  test.each(Object.entries(rows))("the row of %s names a test, or its setting is in the samples", (leaf, row) => {
    if (row.kind === "enforced") {
      const [path, name] = row.test;
      expect(textOf(path), `${path} has no test "${name}"`).toContain(`test("${name}"`);
    }
    if (row.kind === "kept") {
      const found = (samplesOf[title] ?? []).flatMap((sample) => valuesAt(sample, leaf));
      expect(found, `add ${leaf} to tests/support/settings-samples.ts`).not.toEqual([]);
    }
    if (row.kind === "refused") expect(row.sample).not.toBeUndefined();
  });
});
