/** Every setting that is kept comes back as it was written, and every refused one is 400 with its path. */
import { beforeAll, describe, expect, test } from "vitest";
import { exported, idIn, upload } from "#tests/support/files.ts";
import {
  applicationSample,
  consentPageSample,
  protocolSamples,
  samplesOf,
  valuesAt,
} from "#tests/support/settings-samples.ts";
import { type Answer, APPLICATIONS, world } from "#tests/support/world.ts";
import { type Model, models } from "#tools/settings/settings.ts";

const api = world();
const { ask, create } = api;

const PATHS: Readonly<Record<string, string>> = {
  "OAuth2 and OpenID Connect": "oidc",
  SAML2: "saml",
  "Passive STS": "passive-sts",
  "WS-Trust": "ws-trust",
  "Custom protocols": "cas",
};
const MEMBERS: Readonly<Record<string, string>> = {
  "OAuth2 and OpenID Connect": "oidc",
  SAML2: "saml",
  "Passive STS": "passiveSts",
  "WS-Trust": "wsTrust",
};

/** The settings of a model as a read shows them, in the form of its body. */
const shownOf = async ({ title }: Model, id: string): Promise<unknown> => {
  const part = PATHS[title];
  const { body } = await ask("GET", `${APPLICATIONS}/${id}${part === undefined ? "" : `/inbound-protocols/${part}`}`);
  return title === "SAML2" ? { manualConfiguration: body } : body;
};
const keptLeaves = ({ rows }: Model, sample: unknown): readonly string[] =>
  Object.keys(rows).filter((leaf) => rows[leaf]?.kind === "kept" && valuesAt(sample, leaf).length > 0);
/** A custom protocol shows properties with their defaults too. */
const keptOf = (shown: unknown, leaf: string, sample: unknown) =>
  valuesAt(shown, leaf).slice(0, leaf.startsWith("properties") ? valuesAt(sample, leaf).length : undefined);

const everything = {
  name: "Everything that is kept",
  ...applicationSample,
  inboundProtocolConfiguration: protocolSamples,
};

describe("kept settings", () => {
  let created: string;
  let withPage: string;
  let changed: string;
  let copied: string;
  beforeAll(async () => {
    created = await create(everything);
    withPage = await create({ name: "Consent page", ...consentPageSample });
    const file = await exported(api, created, "?exportSecrets=true");
    const second = await upload(api, "POST", renamedKeys(file));
    if (second.status !== 201) throw new Error(second.text);
    copied = idIn(second);
    changed = await create({ name: "Changed later" });
    const { isManagementApp: _, isB2BSelfServiceApp: __, ...patch } = applicationSample;
    expect(await ask("PATCH", `${APPLICATIONS}/${changed}`, { body: patch })).toMatchObject({ status: 200 });
  });

  for (const model of models) {
    for (const sample of samplesOf[model.title] ?? []) {
      const leaves = keptLeaves(model, sample);
      test.each(leaves)(`of ${model.title}: %s comes back as it was written`, async (leaf) => {
        const shown = await shownOf(model, sample === consentPageSample ? withPage : created);
        expect(keptOf(shown, leaf, sample)).toEqual(valuesAt(sample, leaf));
      });
      if (sample === consentPageSample) continue;
      test.each(leaves)(`of ${model.title}: %s comes back from an exported file`, async (leaf) => {
        const shown = await shownOf(model, copied);
        expect(keptOf(shown, leaf, sample)).toEqual(valuesAt(sample, leaf));
      });
    }
  }
  test("of an application come back after a PATCH", async () => {
    const { body } = await ask("GET", `${APPLICATIONS}/${changed}`);
    const [model] = models;
    const leaves = model ? keptLeaves(model, applicationSample) : [];
    for (const leaf of leaves.filter((each) => !/^is\w+App$/.test(each))) {
      expect([leaf, valuesAt(body, leaf)]).toEqual([leaf, valuesAt(applicationSample, leaf)]);
    }
  });
  test("of a protocol come back after a PUT, and an absent one has its default then", async () => {
    for (const model of models.filter(({ title }) => MEMBERS[title] !== undefined)) {
      const id = await create({ name: `PUT ${MEMBERS[model.title]}` });
      const path = `${APPLICATIONS}/${id}/inbound-protocols/${PATHS[model.title]}`;
      const [sample] = samplesOf[model.title] ?? [];
      const fresh = JSON.parse(
        JSON.stringify(sample)
          .replaceAll("sp.example", "put.example")
          .replaceAll('"rides"', '"put"')
          .replaceAll("/trust", "/put"),
      );
      expect(await ask("PUT", path, { body: fresh })).toMatchObject({ status: 200, text: "" });
      const shown = await shownOf(model, id);
      for (const leaf of keptLeaves(model, fresh)) {
        expect([leaf, valuesAt(shown, leaf)]).toEqual([leaf, valuesAt(fresh, leaf)]);
      }
    }
    const [, oidc] = models;
    const least = { grantTypes: ["password"] };
    const id = await create({ name: "PUT twice", inboundProtocolConfiguration: { oidc: protocolSamples.oidc } });
    await ask("PUT", `${APPLICATIONS}/${id}/inbound-protocols/oidc`, { body: least });
    const shown = oidc && (await shownOf(oidc, id));
    for (const leaf of [
      "hybridFlow.enable",
      "subject.subjectType",
      "idToken.idTokenSignedResponseAlg",
      "fapiProfile",
    ]) {
      expect(valuesAt(shown, leaf)).toEqual([]);
    }
  });
});

describe("refused settings", () => {
  const refusedOf = models.flatMap((model) =>
    Object.entries(model.rows).flatMap(([leaf, row]) =>
      row.kind === "refused" ? [{ model, leaf, title: model.title, sample: row.sample }] : [],
    ),
  );
  const bodyAt = (leaf: string, sample: unknown): Record<string, unknown> => {
    const [first = "", ...rest] = leaf.split(".");
    const name = first.replace(/\[\]$/, "");
    const inside = rest.length === 0 ? sample : bodyAt(rest.join("."), sample);
    return { [name]: first.endsWith("[]") ? [{ name: "x", ...(inside as object) }] : inside };
  };
  const shows = (answer: Answer, leaf: string) => {
    expect(answer.status).toBe(400);
    expect(answer.body.description).toContain(leaf.replace(/\[\].*$/, ""));
  };

  test.each(refusedOf)("$title: $leaf is 400 with its path", async ({ title, leaf, sample }) => {
    const settings = bodyAt(leaf, sample);
    if (title === "Application") {
      shows(await ask("POST", APPLICATIONS, { body: { name: "Refused", ...settings } }), leaf);
      const id = await create({ name: `Refused later ${leaf.replaceAll(/\W/g, " ")}` });
      shows(await ask("PATCH", `${APPLICATIONS}/${id}`, { body: settings }), leaf);
      return;
    }
    const body = { grantTypes: ["password"], ...settings };
    shows(
      await ask("POST", APPLICATIONS, { body: { name: "Refused", inboundProtocolConfiguration: { oidc: body } } }),
      leaf,
    );
    const id = await create({ name: `Refused later ${leaf.replaceAll(/\W/g, " ")}` });
    shows(await ask("PUT", `${APPLICATIONS}/${id}/inbound-protocols/oidc`, { body }), leaf);
    expect((await ask("GET", `${APPLICATIONS}/${id}/inbound-protocols/oidc`)).status).toBe(404);
  });
  test("values that change nothing are accepted, so that what was read can be sent", async () => {
    const body = {
      name: "What was read",
      applicationVersion: "v2.0.0",
      advancedConfigurations: { additionalSpProperties: [] },
      inboundProtocolConfiguration: {
        oidc: {
          grantTypes: ["password"],
          refreshToken: { gracefulRefreshTokenRotationEnabled: false, gracefulRefreshTokenReuseLimit: 0 },
          issuer: { organizationId: "" },
        },
      },
    };
    expect((await ask("POST", APPLICATIONS, { body })).status).toBe(201);
  });
});

/** The same file with other names and keys, because those of the first application are unique. */
function renamedKeys(file: string): string {
  return file
    .replaceAll("Everything that is kept", "A copy")
    .replaceAll(/<(InboundAuthKey|oauthConsumerKey|issuer)>[^<]*</g, (all, name) =>
      all.includes("https://sp.example")
        ? `<${name}>https://copy.example<`
        : all.includes("trust")
          ? `<${name}>https://copy.example/trust<`
          : all.includes(">rides<")
            ? `<${name}>copy<`
            : `<${name}>copy-of-a-client<`,
    );
}
