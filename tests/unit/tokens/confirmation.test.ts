/** The key that a token is bound to: its forms, in rows and JWTs of every age. */
import { createHash, X509Certificate } from "node:crypto";
import { describe, expect, test } from "vitest";
import { keys } from "#core/database/table/keys.ts";
import { misfit } from "#core/database/table/row.ts";
import type { Item } from "#core/database/table/table.ts";
import { accessTokenStore, storingAccessToken } from "#core/tokens/access-token-store.ts";
import {
  type Confirmation,
  confirmation,
  confirmationIn,
  confirmationOfCertificate,
  isSameKey,
  tokenTypeOf,
} from "#core/tokens/confirmation.ts";
import { digestOf, newOpaque } from "#core/tokens/opaque.ts";
import { issueAuthority } from "#local/issue.ts";
import { anything, issuer, newReader, rowsOf, tokenOf, tokenWorld } from "#tests/support/token-world.ts";

const A = "A".repeat(43);
const B = "B".repeat(43);
const jkt: Confirmation = { jkt: A };
const x5t: Confirmation = { "x5t#S256": A };

describe("a confirmation", () => {
  test.each([[jkt], [x5t]])("%j is read as it was written", (value) => {
    expect(confirmationIn(value)).toEqual(value);
    expect(confirmation.parse(confirmation.write(value))).toEqual(value);
  });
  test.each([
    undefined,
    null,
    "text",
    [],
    {},
    { ...jkt, ...x5t },
    { jwk: { kty: "EC" } },
    { kid: A },
    { jkt: A.slice(1) },
    { jkt: `${A}A` },
    { jkt: `${A.slice(1)}=` },
    { jkt: 7 },
    { JKT: A },
    { "x5t#s256": A },
  ])("%j is none", (value) => {
    expect(confirmationIn(value)).toBeUndefined();
    expect(confirmation.parse(value)).toBe(misfit);
  });
  test("names the scheme of its token", () => {
    expect([tokenTypeOf({}), tokenTypeOf({ cnf: x5t }), tokenTypeOf({ cnf: jkt })]).toEqual([
      "Bearer",
      "Bearer",
      "DPoP",
    ]);
  });
  test("is the same key only of the same kind", () => {
    expect([isSameKey(jkt, { jkt: A }), isSameKey(undefined, undefined)]).toEqual([true, true]);
    expect([
      isSameKey(jkt, { jkt: B }),
      isSameKey(jkt, x5t),
      isSameKey(jkt, undefined),
      isSameKey(undefined, x5t),
    ]).toEqual([false, false, false, false]);
  });
  test("of a certificate is the SHA-256 of its bytes, however its text is broken into lines", async () => {
    const { certificate } = await issueAuthority("an authority");
    const expected = createHash("sha256").update(new X509Certificate(certificate).raw).digest("base64url");
    expect(confirmationOfCertificate(certificate)).toEqual({ "x5t#S256": expected });
    expect(confirmationOfCertificate(certificate.replaceAll("\n", "\r\n"))).toEqual({ "x5t#S256": expected });
    for (const none of ["", "PEM", certificate.slice(40)]) expect(confirmationOfCertificate(none)).toBeUndefined();
  });
});

describe("a token", () => {
  const world = tokenWorld();
  const read = async (text: string) => {
    const nowMs = Date.now();
    return (await newReader().read(text, { table: world.table(), issuer, nowMs }))?.token.cnf;
  };
  test.each([[jkt], [x5t], [undefined]])("that is bound to %j says so, as a JWT and as an opaque text", async (cnf) => {
    const token = tokenOf(Date.now() - 1_000, cnf && { cnf });
    expect(await read(await world.jwtOf(token))).toEqual(cnf);
    expect(await read(await world.opaqueOf(token))).toEqual(cnf);
  });
  test("whose row has a confirmation of another form is damaged, and one without it is unbound", async () => {
    const text = newOpaque("at_");
    const [row] = rowsOf([storingAccessToken(text, tokenOf(Date.now()))]);
    const token = row?.token as Item;
    expect(token).not.toHaveProperty("cnf");
    for (const cnf of [{}, "text", { jkt: "short" }, { ...jkt, ...x5t }]) {
      await world.write(anything({ ...keys.accessToken(digestOf(text)), ...row, token: { ...token, cnf } }));
      await expect(accessTokenStore(world.table()).find(text)).rejects.toThrow(/damaged/);
    }
  });
});
