/** Signatures: as the AWS SDK's own signer makes them of the same headers. */
import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import { expect, test } from "vitest";
import { type Credentials, newSigner } from "#core/database/table/client/signing.ts";

/** SHA-256 as the signer of the SDK takes it. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    const isKey = typeof secret === "string" || secret instanceof Uint8Array;
    this.#hash = isKey ? createHmac("sha256", secret) : createHash("sha256");
  }
  update(data: string | Uint8Array): void {
    this.#hash.update(data);
  }
  async digest(): Promise<Uint8Array> {
    return new Uint8Array(this.#hash.digest());
  }
  reset(): void {
    throw new Error("not used");
  }
}

const permanent: Credentials = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};
const temporary: Credentials = { ...permanent, secretAccessKey: "another/secret", sessionToken: "a session+token==" };
const MIDNIGHT = Date.UTC(2026, 1, 1);

test.each<[string, string, Credentials, string, number]>([
  ["permanent keys", "https://dynamodb.eu-west-1.amazonaws.com/", permanent, "{}", MIDNIGHT],
  ["temporary keys", "https://dynamodb.eu-west-1.amazonaws.com/", temporary, '{"é":"😀"}', MIDNIGHT + 999],
  ["a port and a path", "http://127.0.0.1:8000/guard-1/scim2", permanent, "{}", MIDNIGHT - 1],
])("with %s are those of the SDK", async (_, address, credentials, body, atMs) => {
  const url = new URL(address);
  const region = "eu-west-1";
  const target = "DynamoDB_20120810.GetItem";
  const { authorization, ...headers } = newSigner(region)({ url, target, body, credentials, atMs });
  const { "x-amz-date": _date, "x-amz-security-token": token, ...given } = headers;
  const signer = new SignatureV4({ service: "dynamodb", region, credentials, sha256: Sha256, applyChecksum: false });
  const request = {
    method: "POST",
    protocol: url.protocol,
    hostname: url.hostname,
    path: url.pathname,
    query: {},
    headers: given,
    body,
  };
  const signed = await signer.sign(request, { signingDate: new Date(atMs) });
  expect(authorization).toBe(signed.headers.authorization);
  expect([headers["x-amz-date"], token]).toEqual([
    signed.headers["x-amz-date"],
    signed.headers["x-amz-security-token"],
  ]);
});

test("use the key of the day and of the secret, in any order", () => {
  const call = { url: new URL("https://dynamodb.eu-west-1.amazonaws.com/"), target: "t", body: "{}" };
  const kept = newSigner("eu-west-1");
  const steps = [permanent, temporary, permanent].flatMap((credentials) =>
    [MIDNIGHT - 1, MIDNIGHT, MIDNIGHT + 1_000].map((atMs) => ({ ...call, credentials, atMs })),
  );
  const signatures = steps.map((step) => kept(step).authorization);
  expect(signatures).toEqual(steps.map((step) => newSigner("eu-west-1")(step).authorization));
  expect(new Set(signatures).size).toBe(6);
});
